import type { GraphQLResolveInfo } from 'graphql';
import type { Pool } from 'pg';
import {
  canonicalId,
  conflictIfTaken,
  deleteOld,
  isId,
  lockName,
  query,
  readRows,
  requireAll,
  SWEEP_BUDGET,
  sql,
} from '../../../platform/database/index.ts';
import { type CursorPage, listByCursor } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Attribute } from '../attributes/entity.ts';
import { readAttributeValues } from '../attributes/value-faults.ts';
import type { Job } from '../jobs/entity.ts';
import type { JobKind } from '../jobs/job-kind.ts';
import { createJob, findJob } from '../jobs/service.ts';
import { Product } from '../products/entity.ts';
import { applyEdits, type Definitions, type EditedProduct, EditRefusal, faultOfText, faultOfValue, isText } from './apply-edits.ts';
import {
  type EditArguments,
  type EditChanges,
  type EditedContent,
  type EditResultsArguments,
  type ProductEdit,
  ProductEditPage,
  type ProductEditPreview,
  type ProductEditPreviewRow,
  ProductEditResult,
  type ProductEditState,
} from './entity.ts';
import { editPage, PAGE, readFirst, undoPage } from './pages.ts';
import { countSelected, isSelected, readSelection } from './product-selection.ts';

const MAX_PRODUCTS = 1_000_000;
/** Bulk edits of an organization that wait or run. */
const MAX_OPEN = 10;
const MAX_ROWS = 20;

/** The attributes of the edits, by slug. */
async function definitionsOf(scope: Scope, edits: readonly ProductEdit[]): Promise<Definitions> {
  const slugs = edits.flatMap(({ attribute }) => attribute ?? []);
  if (slugs.length === 0) return new Map();
  const found = await readRows(scope, Attribute, { where: { subject: 'product', slug: slugs } });
  return new Map(found.map((attribute) => [attribute.slug, attribute]));
}

/** Checks the edits and cleans their HTML. Throws `INVALID_INPUT`, and `NOT_FOUND` for an unknown parent. */
async function readEdits(scope: Scope, given: readonly ProductEdit[], definitions: Definitions): Promise<ProductEdit[]> {
  const edits: ProductEdit[] = [];
  for (const [at, edit] of given.entries()) edits.push(await readEdit(scope, edit, `edits.${at}`, definitions));
  return edits;
}

async function readEdit(scope: Scope, edit: ProductEdit, path: string, definitions: Definitions): Promise<ProductEdit> {
  const refuse = (fault: string) => fail('INVALID_INPUT', `${path}${fault}`);
  const { field, attribute: slug, action, value = null, find, factor } = edit;
  if (!field === !slug) throw refuse(' must have either field or attribute');
  const attribute = slug ? definitions.get(slug) : undefined;
  if (slug && !attribute) throw refuse('.attribute must be the slug of a product attribute');
  const isWord = field ? isText(field) : ['text', 'select', 'multiselect'].includes(attribute!.type);
  if (action === 'clear') {
    if (field === 'name' || field === 'archived') throw refuse(`.action must not be clear for ${field}`);
    return { ...edit, value: null };
  }
  if (action === 'multiply') {
    if (attribute?.type !== 'number') throw refuse('.action can be multiply for an attribute of numbers only');
    if (!factor || !Number.isFinite(factor)) throw refuse('.factor must be a number other than 0');
    return edit;
  }
  if (action === 'replace') {
    if (!isWord) throw refuse('.action can be replace for texts only, without HTML');
    if (!find) throw refuse('.find is required');
    return edit;
  }
  if (action !== 'set') {
    if (!isWord) throw refuse(`.action can be ${action} for texts only, without HTML`);
    if (typeof value !== 'string' || value === '' || value.length > 1_024)
      throw refuse('.value must be a text of 1 to 1024 characters');
    return edit;
  }
  if (value === null) throw refuse('.value is required');
  if (attribute) {
    const { id, name, type } = attribute;
    const content = { attributeId: id, attributeName: name, attributeType: type, value };
    const [read] = await readAttributeValues(scope, [{ [slug!]: content }], { path });
    const clean = read![slug!]!.value;
    const fault = faultOfValue(attribute, clean);
    if (fault) throw refuse(`.value ${fault}`);
    return { ...edit, value: clean };
  }
  if (field === 'archived') {
    if (typeof value !== 'boolean') throw refuse('.value must be true or false');
    return edit;
  }
  if (typeof value !== 'string') throw refuse('.value must be a text');
  if (isText(field!)) {
    const fault = faultOfText(field, value || null);
    if (fault || value === '') throw refuse(`.value is refused: ${fault ?? 'use clear for an empty text'}`);
    return edit;
  }
  const [parent] = await requireAll([canonicalId(value)], 'Product', (ids) =>
    readRows(scope, Product, { columns: ['id', 'isParent'], where: { id: ids } }),
  );
  if (!parent!.isParent) throw refuse('.value must name a product that is a parent');
  return { ...edit, value: parent!.id };
}

const noneSelected = () => fail('UNPROCESSABLE', 'No product is selected.');
const nothingToUndo = () => fail('UNPROCESSABLE', `The job changed nothing, or more than ${DAYS} days ago.`);

/** Previews the effect of the edits on the first of the selected products, with the refusals. Changes nothing. */
export async function previewEdits(
  scope: RequestScope,
  { selection: chosen, edits: given }: EditArguments,
): Promise<ProductEditPreview> {
  const selection = await readSelection(scope, chosen);
  const definitions = await definitionsOf(scope, given);
  const edits = await readEdits(scope, given, definitions);
  const slugs = edits.flatMap(({ attribute }) => attribute ?? []);
  const [products, checked] = await Promise.all([
    countSelected(scope, selection),
    readFirst(scope, isSelected(scope, selection), slugs),
  ]);
  if (products === 0) throw noneSelected();
  const counts = { changed: 0, unchanged: 0, refused: 0 };
  const rows: Record<keyof typeof counts, ProductEditPreviewRow[]> = { changed: [], unchanged: [], refused: [] };
  for (const product of checked) {
    const row = { ...rowOf(product), ...tryEdits(product, edits, definitions) };
    const outcome = row.refusal !== null ? 'refused' : row.changes.length > 0 ? 'changed' : 'unchanged';
    counts[outcome] += 1;
    // Only these, because edited values can be much larger than those that were read.
    if (rows[outcome].length < MAX_ROWS) rows[outcome].push(row);
  }
  return { products, checked: checked.length, ...counts, changes: rows.changed, refusals: rows.refused };
}

const rowOf = ({ id, sku, fields }: EditedProduct) => ({ productId: id, sku, name: String(fields.name) });

function tryEdits(product: EditedProduct, edits: readonly ProductEdit[], definitions: Definitions) {
  try {
    return { changes: contentsOf(applyEdits(product, edits, definitions)), refusal: null };
  } catch (error) {
    if (!(error instanceof EditRefusal)) throw error;
    return { changes: [], refusal: error.message };
  }
}

/** The changes of one product as a list: fields first, then values, each by name. */
export function contentsOf({ fields, values }: EditChanges): EditedContent[] {
  const ofFields = Object.entries(fields).map(([field, content]) => ({
    ...content,
    field: field as EditedContent['field'],
    attribute: null,
    label: field,
  }));
  const ofValues = Object.entries(values).map(([slug, { before, after }]) => ({
    field: null,
    attribute: slug,
    label: after?.attributeName ?? before?.attributeName ?? slug,
    before: before?.value ?? null,
    after: after?.value ?? null,
  }));
  const byLabel = (a: EditedContent, b: EditedContent) => a.label.localeCompare(b.label);
  return [...ofFields.toSorted(byLabel), ...ofValues.toSorted(byLabel)];
}

/** Starts a job that edits the selected products. Throws `UNPROCESSABLE` if there are none or too many. */
export async function createEditJob(scope: RequestScope, { selection: chosen, edits: given }: EditArguments): Promise<Job> {
  const selection = await readSelection(scope, chosen);
  const edits = await readEdits(scope, given, await definitionsOf(scope, given));
  return startJob(scope, { edits }, (inner) => sql`catalog.products r where ${isSelected(inner, selection)}`, 'r.id');
}

/** @param from SQL of the rows of the products, whose ids are in `column` */
function startJob(
  scope: RequestScope,
  job: Pick<Job, 'edits'> & { undoOfId?: string },
  from: (inner: Scope) => ReturnType<typeof sql>,
  column: 'r.id' | 'r.product_id',
): Promise<Job> {
  const insert = async (inner: Scope, jobId: string) => {
    const { em, organizationId } = inner;
    const id = sql.raw(column);
    const pages = await query(
      em,
      sql<{ count: number }>`with chosen as (
            select ${id} as id, row_number() over (order by ${id}) - 1 as n from ${from(inner)} limit ${MAX_PRODUCTS + 1}),
          pages as materialized (
            select gen_random_uuid() as id, (n / ${sql.lit(PAGE)})::int as ordinal, array_agg(id) as ids from chosen group by 2),
          items as (
            insert into catalog.job_items (id, organization_id, job_id, ordinal, turn)
            select id, ${organizationId}, ${jobId}, ordinal, ordinal from pages)
          insert into catalog.product_edit_pages (item_id, job_id, organization_id, product_ids, product_count)
          select id, ${jobId}, ${organizationId}, ids, cardinality(ids) from pages returning product_count as count`,
    );
    const total = pages.reduce((sum, { count }) => sum + count, 0);
    if (total === 0) throw job.undoOfId ? nothingToUndo() : noneSelected();
    if (total > MAX_PRODUCTS) throw fail('UNPROCESSABLE', `A job edits at most ${MAX_PRODUCTS} products.`);
  };
  const createdById = scope.caller.userId;
  const input = { ...job, kind: 'product-edit', modelType: 'budget-v1', createdById } as const;
  return scope.write(async (inner) => {
    await requireFewOpen(inner);
    return createJob(inner, input, { count: 0, insert });
  });
}

/** Each open job can name a million products. The lock keeps the count valid until the commit. */
async function requireFewOpen({ em, organizationId }: Scope): Promise<void> {
  await lockName(em, `product edits of ${organizationId}`);
  const [row] = await query(
    em,
    sql<{ count: number }>`select count(*)::int as count from catalog.jobs
         where organization_id = ${organizationId} and kind = 'product-edit' and status in ('pending', 'processing')`,
  );
  if (row!.count >= MAX_OPEN)
    throw fail('CONFLICT', `At most ${MAX_OPEN} bulk edits can be open. Please try again when one has ended.`);
}

/**
 * Starts a job that restores what another one changed, except for what others changed since. Throws `UNPROCESSABLE` while that job runs or
 * when its changes are no longer kept, and `CONFLICT` if it was undone already.
 */
export async function undoEdit(scope: RequestScope, jobId: string): Promise<Job> {
  const { id, completedAt, processedCount, totalCount } = await findJob(scope, jobId, 'product-edit');
  if (!completedAt || processedCount < totalCount) throw fail('UNPROCESSABLE', 'The job has not ended yet.');
  return startJob(
    scope,
    { edits: null, undoOfId: id },
    ({ organizationId }) =>
      sql`catalog.product_edits r where r.job_id = ${id} and r.organization_id = ${organizationId} and r.outcome = 'changed'`,
    'r.product_id',
  ).catch(conflictIfTaken('The job is being undone, or was undone already.'));
}

const STATES = `
  select j.id, j.edits, j.undo_of_id as "undoOfId", s.*,
         (select u.id from catalog.jobs u where u.undo_of_id = j.id and u.organization_id = j.organization_id order by u.created_at desc limit 1) as "undoneById"
    from catalog.jobs j cross join lateral (
      select coalesce(sum(product_count), 0)::int as products, coalesce(sum(changed), 0)::int as changed,
             coalesce(sum(unchanged), 0)::int as unchanged, coalesce(sum(refused), 0)::int as refused, coalesce(sum(deleted), 0)::int as deleted
        from catalog.product_edit_pages where job_id = j.id) s
   where j.organization_id = $1 and j.id = any($2::uuid[]) and j.kind = 'product-edit'`;

/** The edits of a job and their results; null for jobs of other kinds. */
export const stateOf = (scope: RequestScope, jobId: string): Promise<ProductEditState | null> =>
  scope.batch('product edits of jobs', async (ids) => {
    const statement = { name: 'product edits of jobs', text: STATES, values: [scope.organizationId, ids] };
    type Row = Omit<ProductEditState, 'edits'> & { id: string; edits: ProductEdit[] | null };
    const { rows } = await scope.services.statements.run<Row>(statement, scope.signal, scope.budget);
    return new Map(rows.map(({ id, edits, ...state }) => [id, { ...state, edits: edits ?? [] }]));
  })(jobId);

const RESULT_COLUMNS = ['jobId', 'productId', 'organizationId', 'sku', 'outcome', 'message', 'changes'] as const;

/** The products that a job changed, or left as they are for a reason. Throws `NOT_FOUND` for an unknown job. */
export async function listResults(
  scope: Scope,
  { jobId, outcome, ...page }: EditResultsArguments,
  info: GraphQLResolveInfo,
): Promise<CursorPage<ProductEditResult>> {
  const { id } = await findJob(scope, isId(jobId) ? jobId : '', 'product-edit');
  const rows = { columns: RESULT_COLUMNS, where: { jobId: id, outcome }, orderBy: { productId: 'asc' } } as const;
  // The results of a job can be a million. Pages that are forgotten have none.
  const size = { entity: ProductEditPage, sum: outcome, where: { jobId: id }, matching: () => "r.product_ids <> '{}'" } as const;
  return listByCursor(scope, ProductEditResult, rows, page, info, size);
}

/** Days for which a bulk edit can be undone. */
const DAYS = 30;
const EXPIRED = `
  delete from catalog.product_edits where (job_id, product_id) in (
    select job_id, product_id from catalog.product_edits where edited_at < now() - interval '1 day' * $1
     order by edited_at limit $2 for update skip locked)`;

/** A page keeps its numbers. */
const EXPIRED_IDS = `
  update catalog.product_edit_pages set product_ids = '{}' where item_id in (
    select p.item_id from catalog.product_edit_pages p join catalog.job_items i on i.id = p.item_id
     where p.created_at < now() - interval '1 day' * $1 and p.product_ids <> '{}' and i.status not in ('pending', 'processing')
     order by p.created_at limit $2 for update of p skip locked)`;

/** Forget the results and the selections of old bulk edits, and return their number. */
export const forgetEdits = async (pool: Pool, days = DAYS): Promise<number> =>
  (await deleteOld(pool, EXPIRED, days, SWEEP_BUDGET / 2)) + (await deleteOld(pool, EXPIRED_IDS, days, SWEEP_BUDGET / 2));

/**
 * Edits many products. An item is a page of products, which the transaction that completes the item edits as a whole. Items run one after the
 * other, because they would wait for the same counters.
 */
export const productEdit: JobKind = {
  concurrency: 1,
  prices: { 'budget-v1': { item: 0 }, 'pro-v1': { item: 0 } },
  completesRunningItems: true,
  changesAsCreator: true,
  notRepeatable: 'A bulk edit is started again from its products.',
  notRetryable: 'A bulk edit is started again from its products.',

  async process(scope, job, item) {
    if (job.undoOfId) return { item: {}, apply: (inner) => undoPage(inner, job, item) };
    const definitions = await definitionsOf(scope, (job.edits ?? []) as ProductEdit[]);
    return { item: {}, apply: (inner) => editPage(inner, job, item, definitions) };
  },
};
