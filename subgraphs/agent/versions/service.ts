import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { findById, isId, query, readById, readRows, sql } from '../../../platform/database/index.ts';
import { columnReader, type ListPage, listPage, type PageRequest } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Agent } from '../agents/entity.ts';
import { removeAgent } from '../agents/removal.ts';
import { deleteAgent, lockAgent, markDeleted, notFound, requireAgent } from '../agents/service.ts';
import { holdSecrets } from '../secrets/service.ts';
import { refusalOf } from '../testing/gate.ts';
import { changesBetween, readContent, secretsIn, writeContent } from './agent-content.ts';
import { AgentVersion, type Content, type VersionChange } from './entity.ts';

/** Versions of an agent. Beyond them, the oldest one makes room, first those that were not published. */
const MAX_VERSIONS = 1_000;
const KIND = 'Version';

/** The versions of an agent, newest first. Throws `NOT_FOUND` for an unknown agent. */
export async function listVersions(scope: Scope, agentId: string, page: PageRequest): Promise<ListPage<AgentVersion>> {
  await requireAgent(scope, agentId);
  return listPage(scope, AgentVersion, { where: { agentId }, orderBy: { number: 'desc' } }, page);
}

/** Throws `NOT_FOUND`. */
export const findVersion = (scope: Scope, id: string): Promise<AgentVersion> => readById(scope, AgentVersion, id, KIND);

interface Compared {
  after: Content;
  before: Content | null;
}

/**
 * The changes of a version since the one before it, or since a given one of the same agent. Throws `NOT_FOUND` for an unknown one. Batches the
 * versions of a list into one query.
 */
export async function changesOf(scope: RequestScope, { id }: AgentVersion, since?: number | null): Promise<VersionChange[]> {
  const earlier = since == null ? sql`p.number < v.number` : sql`p.number = ${since}::int`;
  const read = scope.batch(`changes of versions since ${since}`, async (ids) => {
    const found = await query(
      scope.em,
      sql<Compared & { id: string }>`
        select v.id, v.content as after, (select p.content from agent.agent_versions p where p.agent_id = v.agent_id and ${earlier}
                                           order by p.number desc limit 1) as before
          from agent.agent_versions v where v.id = any(${ids}::uuid[]) and v.organization_id = ${scope.organizationId}`,
    );
    return new Map(found.map((each) => [each.id, each]));
  });
  const compared = await read(id);
  if (!compared?.before && since != null) throw fail('NOT_FOUND', `${KIND} not found`);
  return compared?.before ? changesBetween(compared.before, compared.after) : [];
}

export const versionNumberOf = columnReader(Agent, 'liveVersion');

/** The draft of an agent. Batches the agents of a list into one query. */
export const draftIdOf = (scope: RequestScope, agentId: string): Promise<string | null> =>
  scope.batch('drafts of agents', async (ids) => {
    const found = await readRows(scope, Agent, { columns: ['id', 'draftOf'], where: { draftOf: ids } });
    return new Map(found.map(({ id, draftOf }) => [draftOf!, id]));
  })(agentId);

/** The changes that the publication of a draft would bring to its agent. */
export async function changesOfDraft(scope: Scope, draftId: string, agentId: string): Promise<VersionChange[]> {
  const [before, after] = [await readContent(scope, agentId), await readContent(scope, draftId)];
  return changesBetween(before, after);
}

/**
 * The number of the version that equals an agent. Reuses the last version if the agent equals it again; otherwise records a new one.
 */
export const currentVersion = (scope: Scope, agentId: string): Promise<number> =>
  transaction(scope, async (inner) => {
    await lockAgent(inner, agentId);
    return recordCurrent(inner, agentId);
  });

/** The number of the version that equals an agent; null if it has changed, and undefined if there is no such agent. */
export async function readLiveVersion(scope: Scope, agentId: string): Promise<number | null | undefined> {
  const [agent] = await readRows(scope, Agent, { columns: LIVE, where: { id: agentId } });
  return agent?.liveVersion;
}
const LIVE = ['id', 'liveVersion'] as const;

async function recordCurrent(scope: Scope, agentId: string): Promise<number> {
  const { em, organizationId } = scope;
  const [live] = await query(
    em,
    sql<{ version: number | null; latest: number | null }>`
      select a.live_version as version, case when a.live_version is null and v.content = agent.content_of(a.id) then v.number end as latest
        from agent.agents a left join lateral (
             select number, content from agent.agent_versions where agent_id = a.id order by number desc limit 1) v on true
       where a.id = ${agentId} and a.organization_id = ${organizationId}`,
  );
  if (live!.version !== null) return live!.version;
  if (live!.latest === null)
    return insertVersion(scope, agentId, { note: '', published: false, authorName: null, overrideReason: null });
  await setCurrent(scope, agentId, live!.latest);
  return live!.latest;
}

async function setCurrent({ em }: Scope, agentId: string, number: number): Promise<void> {
  await query(em, sql`update agent.agents set live_version = ${number} where id = ${agentId}`);
}

async function insertVersion(
  scope: Scope,
  agentId: string,
  { note, published, authorName, overrideReason }: Pick<AgentVersion, 'note' | 'published' | 'authorName' | 'overrideReason'>,
): Promise<number> {
  const { em } = scope;
  const [added] = await query(
    em,
    sql<{
      number: number;
    }>`select agent.add_version(${uuid()}, ${agentId}, ${note}, ${published}, ${authorName}, ${overrideReason}) as number`,
  );
  await query(
    em,
    sql`delete from agent.agent_versions where id in (
          select id from agent.agent_versions where agent_id = ${agentId} and number < ${added!.number}
           order by published, number limit greatest(0, (select count(*) from agent.agent_versions where agent_id = ${agentId}) - ${MAX_VERSIONS}))`,
  );
  return added!.number;
}

/** The draft of an agent; a new one equals the agent. Throws `NOT_FOUND`, and `CONFLICT` for a draft of a draft. */
export async function openDraft(scope: Scope, agentId: string): Promise<Agent> {
  if (!isId(agentId)) notFound();
  return transaction(scope, async (inner) => {
    await lockAgent(inner, agentId);
    const known = await inner.em.findOne(Agent, { draftOf: agentId });
    if (known) return known;
    const base = await recordCurrent(inner, agentId);
    const id = uuid();
    const draft = { id, slug: `draft ${id}`, public_slug: `draft-${randomBytes(16).toString('hex')}`, public_access: false };
    const blank = { draft_of: agentId, draft_base: base, live_version: null, retention_days: null };
    const copied = await query(
      inner.em,
      sql`insert into agent.agents select (jsonb_populate_record(a, ${JSON.stringify({ ...draft, ...blank })}::jsonb)).* from agent.agents a
           where a.id = ${agentId} and a.draft_of is null returning 1`,
    );
    if (copied.length === 0) throw fail('CONFLICT', 'A draft has no draft of its own.');
    await writeContent(inner, id, await readContent(inner, agentId));
    return findById(inner.em, Agent, id, 'Agent');
  });
}

/** Deletes a draft with its conversations. Throws `NOT_FOUND` for an agent that is no draft. */
export async function discardDraft(scope: Scope, draftId: string) {
  await findDraft(scope, draftId);
  return deleteAgent(scope, draftId);
}

async function findDraft(scope: Scope, draftId: string): Promise<Pick<Agent, 'draftBase'> & { draftOf: string }> {
  const draft = await readById(scope, Agent, draftId, 'Draft', { columns: ['id', 'draftOf', 'draftBase'] });
  const { draftOf, draftBase } = draft;
  if (draftOf === null) throw fail('NOT_FOUND', 'Draft not found');
  return { draftOf, draftBase };
}

/**
 * Gives an agent the content of its draft, as a new version, and deletes the draft. Throws `CONFLICT` if the agent has changed since the
 * draft began, unless the draft should win, and for a draft that somebody published or discarded meanwhile.
 */
export async function publishDraft(
  scope: RequestScope,
  draftId: string,
  { note, overwrite, override }: { note: string; overwrite: boolean; override?: string | null },
): Promise<AgentVersion> {
  const { draftOf, draftBase } = await findDraft(scope, draftId);
  const authorName = scope.caller.name;
  const published = await scope.write(async (inner) => {
    // The agent first, as its deletion locks them.
    await lockAgent(inner, draftOf);
    await lockDraft(inner, { id: draftId, draftOf, draftBase });
    const content = await readContent(inner, draftId);
    if ((await recordCurrent(inner, draftOf)) !== draftBase && !overwrite)
      throw fail(
        'CONFLICT',
        'The agent has changed since the draft began. Compare them, and publish again with `overwrite` to replace these changes.',
        { agentChanged: true },
      );
    await requireSecrets(inner, content);
    const refusal = await refusalOf(inner, { agentId: draftOf, contentOf: draftId });
    const overrideReason = refusal === null ? null : overridden(scope, refusal, override);
    if (overrideReason !== null)
      await query(
        inner.em,
        sql`select identity.record_change(${scope.organizationId}, 'agent', ${draftOf}, 'updated', '{publish_override}', null,
                                          ${JSON.stringify({ publish_override: [null, overrideReason] })}::jsonb)`,
      );
    await writeContent(inner, draftOf, content);
    await markDeleted(inner, draftId);
    const number = await insertVersion(inner, draftOf, { note, published: true, authorName, overrideReason });
    return inner.em.findOneOrFail(AgentVersion, { agentId: draftOf, number });
  });
  await removeAgent(scope.services, { id: draftId, organizationId: scope.organizationId });
  return published;
}

/** Throws `CONFLICT` for a draft that was published or discarded since it was read. */
async function lockDraft({ em, organizationId }: Scope, draft: { id: string; draftOf: string; draftBase: number | null }) {
  const locked = await query(
    em,
    sql`select from agent.agents
         where id = ${draft.id} and organization_id = ${organizationId} and deleted_at is null for no key update`,
  );
  if (locked.length > 0) return;
  const [version] = await query(
    em,
    sql<{ number: number; authorName: string | null }>`
      select number, author_name as "authorName" from agent.agent_versions
       where agent_id = ${draft.draftOf} and organization_id = ${organizationId} and published and number > ${draft.draftBase}::int
       order by number desc limit 1`,
  );
  const by = version?.authorName ? ` by ${version.authorName}` : '';
  throw fail(
    'CONFLICT',
    version ? `The draft was published${by} meanwhile, as version ${version.number}.` : 'The draft was discarded meanwhile.',
  );
}

/** The reason of an owner to publish although tests did not pass. Throws `UNPROCESSABLE` without one, and `FORBIDDEN` for others. */
function overridden({ organization }: RequestScope, refusal: string, reason: string | null | undefined): string {
  // Signs that nobody sees are no reason.
  if (!/[\p{L}\p{N}]/u.test(reason ?? '')) throw fail('UNPROCESSABLE', `Not published: ${refusal}`, { testsRequired: true });
  if (organization.role !== 'owner') throw fail('FORBIDDEN', 'Only owners can publish without passing tests.');
  return reason!.trim();
}

/** Secrets that an earlier version names may be deleted since. Throws `UNPROCESSABLE` with their names. */
async function requireSecrets(scope: Scope, content: Content): Promise<void> {
  const names = secretsIn(content);
  await holdSecrets(scope, names);
  const missing = await query(
    scope.em,
    sql<{ name: string }>`select name from unnest(${names}::text[]) name where not exists (
          select from agent.secrets s where s.organization_id = ${scope.organizationId} and s.name = name.name)`,
  );
  if (missing.length > 0)
    throw fail(
      'UNPROCESSABLE',
      `Create these secrets first, or change the tools that use them: ${missing.map(({ name }) => name).join(', ')}`,
    );
}

/** Gives the draft of an agent, a new one if it has none, the content of an earlier version. */
export async function restoreVersion(scope: Scope, id: string): Promise<Agent> {
  const { agentId, content } = await readById(scope, AgentVersion, id, KIND, { columns: ['agentId', 'content'] });
  const draft = await openDraft(scope, agentId);
  await transaction(scope, async (inner) => {
    await lockAgent(inner, draft.id);
    await writeContent(inner, draft.id, content);
  });
  return readById(scope, Agent, draft.id, 'Draft');
}
