import { database } from '../support/seed.ts';

let statement: Promise<string> | undefined;

/** Every row of an organization in every table, except for those that a sweep writes. */
export async function rowsOf({ id }: { id: string }): Promise<Record<string, unknown[]>> {
  statement ??= rowsStatement();
  // A name lets PostgreSQL plan this statement of many tables once.
  const { rows } = await database().query<{ label: string; rows: unknown[] }>({
    name: 'rows-of-tenant',
    text: await statement,
    values: [id],
  });
  return Object.fromEntries(rows.map((each) => [each.label, each.rows]));
}

/** Counts whose slots a sweep adds up. It also deletes those that are 0. */
const summed: Record<string, string> = {
  'catalog.counters':
    '(select organization_id, kind, key, sum(count), sum(sum) as total from catalog.counters group by 1, 2, 3 having sum(count) <> 0 or sum(sum) <> 0)',
  'catalog.filled_groups':
    '(select organization_id, category, shape, sum(count) from catalog.filled_groups group by 1, 2, 3 having sum(count) <> 0)',
};

async function rowsStatement(): Promise<string> {
  const { rows: tables } = await database().query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where a.attname = 'organization_id' and a.attrelid <> all('{catalog.completeness_days, catalog.completeness_levels}'::regclass[]) and c.relkind in ('r', 'p', 'v') and not c.relispartition order by 1`,
  );
  const all = [
    ...tables.map(({ name }) => [name, summed[name] ?? name, 'organization_id = $1']),
    ['organizations', 'identity.organizations', 'id = $1'],
    ['changes', 'catalog.job_changes', 'job_id in (select id from catalog.jobs where organization_id = $1)'],
  ];
  const select = ([label, name, where]: string[]) =>
    `select '${label}' as label, coalesce(jsonb_agg(to_jsonb(t) order by to_jsonb(t)), '[]') as rows from ${name} t where ${where}`;
  return all.map(select).join(' union all ');
}
