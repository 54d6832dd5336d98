import type { Pool } from 'pg';
import { Int, ObjectType } from 'type-graphql';
import { clock, deleteOld, lockName, query, SWEEP_BUDGET, sql } from '../../../platform/database/index.ts';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob } from '../jobs/service.ts';
import { ProductSelection } from '../product-edits/entity.ts';
import { isSelected, readSelection } from '../product-edits/product-selection.ts';

export class ExportArguments extends args({
  selection: field(ProductSelection),
  format: field(enumTypes.ProductExportFormat, { defaultValue: 'csv' }),
  fields: list(enumTypes.ProductExportField, {
    maxItems: 20,
    nullable: true,
    description: 'The fields in the file, which always has the SKU. Default: all that an import reads, and in `jsonl` all others.',
  }),
  attributes: list(String, {
    maxItems: 1_000,
    maxLength: 128,
    nullable: true,
    description:
      'The slugs of the attributes in the file, in the order of the columns. Default: those that one of the products has, and those of the attribute sets of their categories.',
  }),
}) {}

@ObjectType({ description: 'The file of an export of products.' })
export class ProductExport extends output({
  format: field(enumTypes.ProductExportFormat),
  products: field(Int, 'Number of selected products.'),
  exported: field(Int, 'Number of products in the file so far. Those that were deleted since the start are not in it.'),
  isAvailable: field(Boolean, 'Whether the file can be downloaded: the job has completed, at most 7 days ago.'),
  expiresAt: field(Date, { nullable: true, description: 'When the file is deleted. Null until the job has completed.' }),
}) {}

@ObjectType({ description: 'A part of a file.' })
export class FilePart extends output({
  name: field(String, 'The name of the file.'),
  type: field(String, 'Media type.'),
  text: field(String),
  next: field(String, { nullable: true, description: 'Pass it as `after` for the next part. Null at the end.' }),
}) {}

const MAX_PRODUCTS = 1_000_000;
/** Products of one item of a job. */
const PAGE = 500;
/** Exports of an organization that wait or run. */
const MAX_OPEN = 5;

/** Starts a job that exports the selected products. Throws `UNPROCESSABLE` if there are none or too many. */
export async function createExportJob(
  scope: RequestScope,
  { selection: chosen, format, fields = null, attributes = null }: ExportArguments,
): Promise<Job> {
  const selection = await readSelection(scope, chosen);
  const insert = async (inner: Scope, jobId: string) => {
    const { em, organizationId } = inner;
    const pages = await query(
      em,
      sql<{ count: number }>`with chosen as (
            select r.id, row_number() over (order by r.sku) - 1 as n from catalog.products r
             where ${isSelected(inner, selection)} limit ${MAX_PRODUCTS + 1}),
          pages as materialized (
            select gen_random_uuid() as id, (n / ${sql.lit(PAGE)})::int as ordinal, array_agg(id order by n) as ids from chosen group by 2),
          items as (
            insert into catalog.job_items (id, organization_id, job_id, ordinal, turn)
            select id, ${organizationId}, ${jobId}, ordinal, ordinal from pages)
          insert into catalog.product_export_pages (item_id, job_id, ordinal, organization_id, product_ids, product_count)
          select id, ${jobId}, ordinal, ${organizationId}, ids, cardinality(ids) from pages returning product_count as count`,
    );
    const total = pages.reduce((sum, { count }) => sum + count, 0);
    if (total === 0) throw fail('UNPROCESSABLE', 'No product is selected.');
    if (total > MAX_PRODUCTS) throw fail('UNPROCESSABLE', `A job exports at most ${MAX_PRODUCTS} products.`);
  };
  const createdById = scope.caller.userId;
  const exportColumns = { fields, attributes: attributes && [...new Set(attributes)] };
  const input = { kind: 'product-export', modelType: 'budget-v1', exportFormat: format, exportColumns, createdById } as const;
  return scope.write(async (inner) => {
    await requireFewOpen(inner);
    return createJob(inner, input, { count: 0, insert });
  });
}

/** The lock keeps the count valid until the commit. */
async function requireFewOpen({ em, organizationId }: Scope): Promise<void> {
  await lockName(em, `product exports of ${organizationId}`);
  const [row] = await query(
    em,
    sql<{ count: number }>`select count(*)::int as count from catalog.jobs
         where organization_id = ${organizationId} and kind = 'product-export' and status in ('pending', 'processing')`,
  );
  if (row!.count >= MAX_OPEN)
    throw fail('CONFLICT', `At most ${MAX_OPEN} exports can be open. Please try again when one has ended.`);
}

/** Days for which a file can be downloaded. */
const DAYS = 7;

type Ended = Pick<Job, 'status' | 'completedAt'>;

const expiryOf = ({ status, completedAt }: Ended): Date | null =>
  status === 'completed' && completedAt ? new Date(completedAt.getTime() + DAYS * 86_400_000) : null;

/** Whether the file of a job can be downloaded. */
export const isAvailable = (job: Ended): boolean => (expiryOf(job)?.getTime() ?? 0) > clock.ms();

const STATES = `
  select j.id, j.export_format as format, j.status, extract(epoch from j.completed_at)::float8 as "completedAt", s.*
    from catalog.jobs j cross join lateral (
      select coalesce(sum(product_count), 0)::int as products, coalesce(sum(exported), 0)::int as exported
        from catalog.product_export_pages where job_id = j.id) s
   where j.organization_id = $1 and j.id = any($2::uuid[]) and j.kind = 'product-export'`;

interface State extends Omit<ProductExport, 'expiresAt' | 'isAvailable'>, Pick<Job, 'status'> {
  id: string;
  /** In seconds. */
  completedAt: number | null;
}

/** The file of a job and its state; null for jobs of other kinds. */
export const stateOf = (scope: RequestScope, jobId: string): Promise<ProductExport | null> =>
  scope.batch('product exports of jobs', async (ids) => {
    const statement = { name: 'product exports of jobs', text: STATES, values: [scope.organizationId, ids] };
    const { rows } = await scope.services.statements.run<State>(statement, scope.signal, scope.budget);
    return new Map(
      rows.map(({ id, status, completedAt, ...state }) => {
        const job = { status, completedAt: completedAt === null ? null : new Date(completedAt * 1_000) };
        return [id, { ...state, isAvailable: isAvailable(job), expiresAt: expiryOf(job) }];
      }),
    );
  })(jobId);

/** The parts of ended jobs. A job that waits or runs keeps those that it has written. */
const EXPIRED = `
  delete from catalog.product_export_parts where (item_id, place) in (
    select p.item_id, p.place from catalog.product_export_parts p join catalog.job_items i on i.id = p.item_id join catalog.jobs j on j.id = i.job_id
     where p.created_at < now() - interval '1 day' * $1 and coalesce(j.completed_at, now()) < now() - interval '1 day' * $1
     order by p.created_at limit $2 for update of p skip locked)`;

/** The statuses of ended jobs whose file nobody can download. */
const WITHOUT_FILE = `j.kind = 'product-export' and j.status in ('stopped', 'failed', 'completed_with_errors')`;
/** The ended jobs that are looked at, in multiples of the retention, so that a sweep that was off for weeks catches up. */
const RECENT = `${WITHOUT_FILE} and j.completed_at > now() - interval '1 day' * 4 * $1`;

const UNUSABLE = `
  delete from catalog.product_export_parts where (item_id, place) in (
    select p.item_id, p.place from catalog.jobs j
      join catalog.product_export_pages e on e.job_id = j.id join catalog.product_export_parts p using (item_id)
     where ${RECENT} limit $2 for update of p skip locked)`;

/** The selections that no item will export. A page keeps its numbers. */
const UNUSED_IDS = `
  update catalog.product_export_pages set product_ids = '{}' where item_id in (
    select e.item_id from catalog.jobs j join catalog.product_export_pages e on e.job_id = j.id join catalog.job_items i on i.id = e.item_id
     where ${RECENT} and e.product_ids <> '{}' and i.status not in ('pending', 'processing') limit $2 for update of e skip locked)`;

/** Delete the files of old exports, and those of exports that did not complete. Returns the number of their parts. */
export async function forgetExports(pool: Pool, days = DAYS): Promise<number> {
  let total = 0;
  for (const statement of [UNUSABLE, UNUSED_IDS, EXPIRED]) total += await deleteOld(pool, statement, days, SWEEP_BUDGET / 3);
  return total;
}
