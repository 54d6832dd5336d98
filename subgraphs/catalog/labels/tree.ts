import { query, readRows, sql } from '../../../platform/database/index.ts';
import { childPage, type ListPage, type PageRequest } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { LabelMove, type LabelSubject, LabelSummary, type MergePreview } from './entity.ts';
import { findLabel } from './summaries.ts';

/** The categories directly below one, by name. */
export const childrenOf = (scope: RequestScope, { key }: LabelSummary, page: PageRequest): Promise<ListPage<LabelSummary>> =>
  childPage(
    scope,
    key,
    LabelSummary,
    { of: 'parentKey' },
    { matching: () => '(r.total_count > 0 or r.created_count > 0)', ordering: 'left(lower(r.name), 200), r.key' },
    page,
  );

const ABOVE = `
  with recursive above as (
    select k.key as start, l.parent_key, 1 as distance from unnest($2::uuid[]) k (key)
      join catalog.labels l on (l.organization_id, l.subject, l.key) = ($1, 'category', k.key)
    union all
    select a.start, l.parent_key, a.distance + 1 from above a join catalog.labels l on (l.organization_id, l.subject, l.key) = ($1, 'category', a.parent_key))
  select start, parent_key as key, distance from above where parent_key is not null order by distance desc`;

/** The categories above one, from the top. */
export async function ancestorsOf(scope: RequestScope, { key }: LabelSummary): Promise<LabelSummary[]> {
  const read = scope.batch('categories above', async (keys) => {
    const { services, organizationId, signal, budget } = scope;
    const statement = { name: 'categories above', text: ABOVE, values: [organizationId, keys] };
    const { rows } = await services.statements.run<{ start: string; key: string }>(statement, signal, budget);
    const wanted = [...new Set(rows.map((row) => row.key))];
    const found = wanted.length > 0 ? await readRows(scope, LabelSummary, { where: { subject: 'category', key: wanted } }) : [];
    const byKey = new Map(found.map((each) => [each.key, each]));
    const named = rows.flatMap((row) => (byKey.has(row.key) ? [{ start: row.start, label: byKey.get(row.key)! }] : []));
    return new Map([...Map.groupBy(named, ({ start }) => start)].map(([start, each]) => [start, each.map(({ label }) => label)]));
  });
  return (await read(key)) ?? [];
}

/** The rename or merge that a label takes part in. */
export async function moveOf(scope: RequestScope, { subject, key }: LabelSummary): Promise<LabelMove | null> {
  const read = scope.batch(`moves of ${subject}`, async (keys) => {
    const [move] = await readRows(scope, LabelMove, { where: { subject } });
    return new Map(move ? keys.filter((each) => each === move.fromKey || each === move.toKey).map((each) => [each, move]) : []);
  });
  return read(key);
}

/** Counts stop here. */
const MAX_COUNTED = 10_000;

/** Tells what a merge would move. Throws `NOT_FOUND`, and `INVALID_INPUT` if both are the same. */
export async function previewMerge(scope: Scope, subject: LabelSubject, id: string, intoId: string): Promise<MergePreview> {
  const [from, into] = await Promise.all([findLabel(scope, subject, { id }), findLabel(scope, subject, { id: intoId })]);
  if (from.key === into.key) throw fail('INVALID_INPUT', `a ${subject} cannot be merged into itself`);
  const [facts] = await query(
    scope.em,
    sql<{ categories: number; enrichments: number; slug: string | null; values: string[] }>`
      select (select count(*)::int - 1 from (select 1 from catalog.keys_within(${scope.organizationId}, ${subject}, ${from.key}) k
                join catalog.labels l on (l.organization_id, l.subject, l.key) = (${scope.organizationId}::uuid, ${subject}::text, k)
               where l.total_count > 0 or l.created_count > 0 limit ${MAX_COUNTED + 1}) w) as categories,
             (select count(*)::int from (select 1 from catalog.job_items
               where organization_id = ${scope.organizationId} and subject = ${subject} and label is not null
                 and catalog.name_key(label) = ${from.key} limit ${MAX_COUNTED}) i) as enrichments,
             (select slug from ${sql.table(subject === 'brand' ? 'catalog.brands' : 'catalog.categories')}
               where organization_id = ${scope.organizationId} and id = ${from.recordId}::uuid) as slug,
             array(select slug from catalog.label_values
                    where organization_id = ${scope.organizationId} and subject = ${subject} and key = ${from.key}
                   except select slug from catalog.label_values
                    where organization_id = ${scope.organizationId} and subject = ${subject} and key = ${into.key} order by 1) as values`,
  );
  return { fromName: from.name, intoName: into.name, products: from.totalCount, ...facts! };
}
