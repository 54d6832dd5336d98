import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Content, ContentEntry, VersionChange } from './entity.ts';

/** The tables whose rows belong to the content, and the part that each is. Servers come before their tools. */
const parts = [
  { key: 'servers', table: 'agent.mcp_servers', part: 'server' },
  { key: 'tools', table: 'agent.tools', part: 'tool' },
  { key: 'forms', table: 'agent.forms', part: 'form' },
] as const;

/** The content of an agent. The order of its keys means nothing. */
export async function readContent({ em }: Pick<Scope, 'em'>, agentId: string): Promise<Content> {
  const [found] = await query(em, sql<{ content: Content }>`select agent.content_of(${agentId}) as content`);
  return found!.content;
}

/** Gives an agent the content. Rows of the same name keep their ids. Runs in the transaction of the scope. */
export async function writeContent({ em, organizationId }: Scope, agentId: string, content: Content): Promise<void> {
  const columns = sql.join(Object.keys(content.settings).map((name) => sql.ref(name)));
  await query(
    em,
    sql`update agent.agents a set (${columns}) = (select ${columns} from jsonb_populate_record(a, ${JSON.stringify(content.settings)}::jsonb)),
               updated_at = now() where a.id = ${agentId}`,
  );
  for (const { key, table } of parts) await writeRows(key, table);
  // Last: tools may have moved to another server, and a server is deleted after its tools.
  for (const { key, table } of parts.toReversed()) {
    const names = content[key].map(({ name }) => name);
    await query(em, sql`delete from ${sql.table(table)} where agent_id = ${agentId} and not (name = any(${names}::text[]))`);
  }

  async function writeRows(key: (typeof parts)[number]['key'], table: string) {
    const entries: readonly ContentEntry[] = content[key];
    const of = sql.table(table);
    const [first] = entries;
    if (!first) return;
    const own = Object.keys(first).filter((name) => name !== 'server');
    const written = [...own, ...(key === 'tools' ? ['mcp_server_id'] : [])];
    const list = (prefix = '') => sql.join(written.map((name) => sql.ref(`${prefix}${name}`)));
    const given = sql.join([
      ...own.map((name) => sql.ref(`r.${name}`)),
      ...(key === 'tools'
        ? [sql`(select s.id from agent.mcp_servers s where s.agent_id = ${agentId} and s.name = e.value ->> 'server')`]
        : []),
    ]);
    await query(
      em,
      sql`insert into ${of} as kept (id, organization_id, agent_id, ${list()})
          select gen_random_uuid(), ${organizationId}, ${agentId}, ${given}
            from jsonb_array_elements(${JSON.stringify(entries)}::jsonb) e, jsonb_populate_record(null::${of}, e.value) r
          on conflict (agent_id, name) do update set (${list()}) = row(${list('excluded.')}), updated_at = now()
           where row(${list('kept.')}) is distinct from row(${list('excluded.')})`,
    );
  }
}

/** The names of all secrets that the content sends. */
export const secretsIn = ({ servers, tools }: Content): string[] =>
  [...new Set([...servers, ...tools].flatMap((each) => (each.secret_names ?? []) as string[]))].sort();

/** The differences between two contents, by part and name. */
export function changesBetween(before: Content, after: Content): VersionChange[] {
  const changes: VersionChange[] = [];
  compare('settings', null, before.settings, after.settings);
  for (const { key, part } of parts) {
    const [old, fresh] = [byName(before[key]), byName(after[key])];
    for (const name of [...new Set([...old.keys(), ...fresh.keys()])].sort()) {
      const [from, to] = [old.get(name), fresh.get(name)];
      if (from && to) compare(part, name, from, to);
      else changes.push({ part, name, field: null, before: from ? shown(from) : null, after: to ? shown(to) : null });
    }
  }
  return changes;

  function compare(part: VersionChange['part'], name: string | null, from: Record<string, unknown>, to: Record<string, unknown>) {
    for (const column of [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()) {
      const [old, fresh] = [shown(from[column]), shown(to[column])];
      if (old !== fresh) changes.push({ part, name, field: fieldOf(column), before: old, after: fresh });
    }
  }
}

const byName = (entries: readonly ContentEntry[]) => new Map(entries.map((each) => [each.name, each]));

/** The name in the graph of a column. */
const fieldOf = (column: string): string => column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** PostgreSQL returns the keys of `jsonb` in one order, so equal values have equal texts. */
function shown(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
