import type { Pool } from 'pg';
import { type Bind, type Rows, readRows, SWEEP_BUDGET } from '../../../platform/database/index.ts';
import { containing, listPage } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { JobItem } from '../jobs/entity.ts';
import { Product } from '../products/entity.ts';
import { type CategoriesArguments, type LabelSubject, LabelSummary, type LabelsArguments } from './entity.ts';
import { isKey, subjects } from './subjects.ts';

/** Products name the label or one below it, or it or one below it was created. */
const isListed = '(r.total_count > 0 or r.created_count > 0)';

/** Without the categories that exist only because others are below them. */
export const IS_NAMED = '(r.product_count > 0 or r.record_id is not null)';

export const listLabels = (scope: Scope, subject: LabelSubject, request: LabelsArguments, place: string[] = []) => {
  const { search, created = null, sortBy, sortOrder, ...page } = request;
  const terms = (bind: Bind) => [
    isListed,
    ...place,
    ...(search ? [`lower(r.name) like ${containing(search, bind)}`] : []),
    ...(created === null ? [] : [`(r.record_id is not null) = ${bind(created)}`]),
  ];
  const column = sortBy === 'name' ? 'left(lower(r.name), 200)' : 'r.product_count';
  const ordering = `${column} ${sortOrder}, r.key ${sortOrder}`;
  const rows: Rows<LabelSummary> = { where: { subject }, matching: (bind) => terms(bind).join(' and '), ordering };
  return listPage(scope, LabelSummary, rows, page);
};

/** One level of the tree, or all categories. */
export async function listCategories(scope: Scope, request: CategoriesArguments) {
  const { parentId, isTop, ...rest } = request;
  if (parentId == null) return listLabels(scope, 'category', rest, isTop ? ON_TOP : []);
  if (isTop) throw fail('INVALID_INPUT', 'parentId and isTop exclude each other');
  const { key } = await findLabel(scope, 'category', { id: parentId });
  return listLabels(scope, 'category', rest, [`r.parent_key = '${key}'`]);
}

/** Literals, so that the planner recognizes the condition of the index. */
const ON_TOP = [`r.subject = 'category'`, 'r.parent_key is null'];

/** A category keeps its attribute set while all of its products are archived. */
const HAS_SET = 'exists (select from catalog.category_sets s where s.organization_id = r.organization_id and s.category = r.key)';

/** Finds a label by the id of its record, the id of its summary, or its name. Throws `NOT_FOUND`. */
export async function findLabel(
  scope: Scope,
  subject: LabelSubject,
  { id, name }: { id?: string | null; name?: string | null },
): Promise<LabelSummary> {
  if ((id == null) === (name == null)) throw fail('INVALID_INPUT', 'exactly one of id and name is required');
  const byId = (bind: Bind) => `(r.key = ${bind(id)}::uuid or r.record_id = ${bind(id)}::uuid)`;
  const byName = (bind: Bind) => `r.key = catalog.name_key(${bind(name)}::text)`;
  const isKnown = subject === 'category' ? `(${isListed} or ${HAS_SET})` : isListed;
  const matching = (bind: Bind) => `${isKnown} and ${id == null ? byName(bind) : byId(bind)}`;
  const [found] = id != null && !isKey(id) ? [] : await readRows(scope, LabelSummary, { where: { subject }, matching });
  return found ?? Promise.reject(fail('NOT_FOUND', `${subjects[subject].title} not found`));
}

/** The summary of the brand or category that a product names. */
export async function summaryOfProduct(scope: RequestScope, subject: LabelSubject, product: Product): Promise<LabelSummary | null> {
  if (!product[subject]?.trim()) return null;
  const read = scope.batch(`${subject} summaries of products`, async (ids) => {
    const joined = { key: `catalog.name_key(r.${subject})` };
    const named = (await readRows(scope, Product, { columns: ID, joined, where: { id: ids } })) as (Product & { key: string })[];
    const keys = [...new Set(named.map(({ key }) => key))];
    const found = await readRows(scope, LabelSummary, { where: { subject, key: keys } });
    const byKey = new Map(found.map((each) => [each.key, each]));
    return new Map(named.flatMap(({ id, key }) => (byKey.has(key) ? [[id, byKey.get(key)!]] : [])));
  });
  return read(product.id);
}

const ID = ['id'] as const;

/** The latest completed enrichment of a label; that of a merged one only if it has none of its own. */
export function latestItemOf(scope: RequestScope, { subject, key }: LabelSummary): Promise<JobItem | null> {
  const read = scope.batch(`latest items of ${subject}`, async (keys) => {
    const matching = (bind: Bind) => `r.id in (
      select i.id from unnest(${bind(keys)}::uuid[]) as k (key) cross join lateral (
        select id from catalog.job_items where organization_id = ${bind(scope.organizationId)} and subject = ${bind(subject)}
           and label is not null and catalog.name_key(label) = k.key and status = 'completed'
         order by from_merge, coalesce(completed_at, created_at) desc, id desc limit 1) i)`;
    const joined = { key: 'catalog.name_key(r.label)' };
    const found = (await readRows(scope, JobItem, { joined, matching })) as (JobItem & { key: string })[];
    return new Map(found.map((item) => [item.key, item]));
  });
  return read(key);
}

/** The summary of a brand or category record. */
export const summaryOfRecord = (scope: RequestScope, subject: LabelSubject, recordId: string) =>
  scope.batch(`${subject} summaries of records`, async (ids) => {
    const found = await readRows(scope, LabelSummary, { where: { subject, recordId: ids } });
    return new Map(found.map((each) => [each.recordId!, each]));
  })(recordId);

const BATCH = 1_000;
const FIRST = { organization: '00000000-0000-0000-0000-000000000000', subject: '', key: '00000000-0000-0000-0000-000000000000' };

/**
 * Archived products, values, sets, histories and categories below it still follow a name that no product and no record has. A later sweep
 * deletes the one above it.
 */
const SWEEP = `
  with unlisted as materialized (
    select organization_id, subject, key from catalog.labels
     where not (total_count > 0 or created_count > 0) and (organization_id, subject, key) > ($1::uuid, $2, $3::uuid)
     order by organization_id, subject, key limit ${BATCH} for update skip locked),
  unused as (
    select u.* from unlisted u
     where not exists (select from catalog.labels b where b.organization_id = u.organization_id and b.parent_key = u.key)
       and not exists (select from catalog.label_values v where (v.organization_id, v.subject, v.key) = (u.organization_id, u.subject, u.key))
       and not exists (select from catalog.label_moves m where (m.organization_id, m.subject) = (u.organization_id, u.subject))
       and not exists (select from catalog.job_items i
             where i.organization_id = u.organization_id and i.subject = u.subject and i.label is not null and catalog.name_key(i.label) = u.key)
       and case u.subject when 'brand' then not exists (select from catalog.products p
             where p.organization_id = u.organization_id and p.brand is not null and catalog.name_key(p.brand) = u.key)
           else not exists (select from catalog.products p
             where p.organization_id = u.organization_id and p.category is not null and catalog.name_key(p.category) = u.key)
            and not exists (select from catalog.category_sets s where s.organization_id = u.organization_id and s.category = u.key) end),
  gone as (
    delete from catalog.labels l using unused u where (l.organization_id, l.subject, l.key) = (u.organization_id, u.subject, u.key) returning 1)
  select (select count(*)::int from gone) as deleted, last.* from (
    select organization_id as organization, subject, key from unlisted order by 1 desc, 2 desc, 3 desc limit 1) last`;

/** Forgets the names of brands and categories that nothing uses any more, and returns their number. */
export async function forgetLabels(pool: Pool, budget = SWEEP_BUDGET): Promise<number> {
  const end = performance.now() + budget;
  let deleted = 0;
  let after = FIRST;
  do {
    const { rows } = await pool.query<typeof FIRST & { deleted: number }>(SWEEP, [after.organization, after.subject, after.key]);
    if (!rows[0]) break;
    deleted += rows[0].deleted;
    after = rows[0];
  } while (performance.now() < end);
  return deleted;
}
