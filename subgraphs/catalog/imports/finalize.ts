import { fail } from '../../../schema/errors.ts';
import { query, sql } from '../../common/database.ts';
import { canonicalId, isId } from '../../common/ids.ts';
import { type RequestScope, type Scope, transaction } from '../../common/scope.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob, findJob, productItems } from '../jobs/service.ts';
import { Product } from '../products/entity.ts';
import { createProducts } from '../products/service.ts';
import type { NewProduct } from '../products/types.ts';
import type { ImportItem } from './entity.ts';
import type { FinalizeArguments, Finalized } from './types.ts';

type Row = Pick<ImportItem, 'id' | 'parentItemId' | 'type' | 'status' | 'data' | 'productId'>;
const PER_JOB = 5_000;

/**
 * Import what was found into the catalog, all of it or what is named; what is imported already is passed over. A family comes before its
 * products, also when only they are named.
 */
export async function finalizeAiImportJob(
  scope: RequestScope,
  { jobId, all, itemIds, excludedIds }: FinalizeArguments,
): Promise<Finalized> {
  if (!all && !itemIds?.length) throw fail('INVALID_INPUT', 'all or itemIds is required');
  const job = await findJob(scope, jobId, 'ai-import');
  return transaction(scope, async (inner) => {
    // Who finalizes the same job at the same time waits, and finds it imported.
    await query(inner.em, sql`select id from catalog.jobs where id = ${job.id} for update`);
    const rows = await selected(inner, job.id, all ? { excluded: excludedIds ?? [] } : { named: itemIds! });
    const outcome = await importRows(inner, rows);
    await writeOutcome(inner, outcome);
    const imported = [...outcome.values()].filter(({ productId }) => productId !== null).map(({ productId }) => productId!);
    if (job.autoEnrich) await enrich(inner, job, imported, scope.caller.userId);
    return { jobId: job.id, imported: imported.length, failed: outcome.size - imported.length };
  });
}

/** Families first. */
async function selected(
  { em, organizationId }: Scope,
  jobId: string,
  { named, excluded = [] }: { named?: string[]; excluded?: string[] },
): Promise<Row[]> {
  const ids = named?.map(canonicalId).filter(isId) ?? null;
  const without = excluded.map(canonicalId).filter(isId);
  return query(
    em,
    sql<Row>`with chosen as (
         select * from catalog.import_items where job_id = ${jobId} and organization_id = ${organizationId} and status <> 'completed'
            and (${ids}::uuid[] is null or id = any(${ids}::uuid[])) and id <> all(${without}::uuid[])
       ), families as (
         select * from catalog.import_items where id in (select parent_item_id from chosen) and id <> all(${without}::uuid[])
       )
       select id, parent_item_id as "parentItemId", type, status, data, product_id as "productId"
         from (select * from chosen union select * from families) as found order by parent_item_id is not null, name, id`,
  );
}

interface Outcome {
  productId: string | null;
  errorMessage: string | null;
}

async function importRows(scope: Scope, rows: Row[]): Promise<Map<string, Outcome>> {
  const outcome = new Map<string, Outcome>();
  const families = new Map(
    rows.filter(({ type, productId }) => type === 'family' && productId).map((each) => [each.id, each.productId!]),
  );
  const open = rows.filter(({ status }) => status !== 'completed');
  const taken = await takenSkus(scope, open);
  for (const isVariant of [false, true]) {
    const ready: [Row, NewProduct][] = [];
    for (const row of open.filter(({ type }) => (type === 'product') === isVariant)) {
      const parentId = isVariant ? families.get(row.parentItemId!) : undefined;
      const fault = isVariant && !parentId ? 'Its family was not imported' : faultOf(row, taken);
      if (fault) outcome.set(row.id, { productId: null, errorMessage: fault });
      else ready.push([row, newProduct(row, parentId)]);
      if (!fault) taken.add(row.data.sku);
    }
    const made =
      ready.length > 0
        ? await createProducts(
            scope,
            ready.map(([, product]) => product),
          )
        : [];
    for (const [at, [{ id, type }]] of ready.entries()) {
      outcome.set(id, { productId: made[at]!.id, errorMessage: null });
      if (type === 'family') families.set(id, made[at]!.id);
    }
  }
  return outcome;
}

async function takenSkus({ em }: Scope, rows: Row[]): Promise<Set<string>> {
  const found = await em.find(Product, { sku: { $in: rows.map(({ data }) => data.sku) } }, { fields: ['sku'] });
  return new Set(found.map(({ sku }) => sku));
}

function faultOf({ data: { sku } }: Row, taken: ReadonlySet<string>): string | undefined {
  if (sku === '') return 'The file gives no SKU';
  return taken.has(sku) ? `A product with the SKU ${sku} exists already` : undefined;
}

const newProduct = ({ type, data: { variantOptions: _, ...data } }: Row, parentId: string | undefined): NewProduct => ({
  ...data,
  isParent: type === 'family',
  ...(parentId && { parentId }),
});

const writeOutcome = ({ em }: Scope, outcome: Map<string, Outcome>) =>
  query(
    em,
    sql`update catalog.import_items i set status = case when g."productId" is null then 'failed' else 'completed' end,
               error_message = g."errorMessage", product_id = g."productId"
          from jsonb_to_recordset(${JSON.stringify([...outcome].map(([id, each]) => ({ id, ...each })))}::jsonb)
               as g (id uuid, "productId" uuid, "errorMessage" text) where i.id = g.id`,
  );

/** Enrich what was just imported, with the files of the import as sources. */
async function enrich(
  scope: Scope,
  { modelType, enrichmentConfig, uploadedFileIds }: Job,
  ids: string[],
  createdById: string,
): Promise<void> {
  const { modelType: tier, attributeSetId = null, ...config } = enrichmentConfig ?? {};
  const options = {
    websearch: false,
    extractImages: false,
    includeExistingAttributes: true,
    ...config,
    attributeSetId,
    uploadedFileIds,
  };
  for (let at = 0; at < ids.length; at += PER_JOB) {
    const job = { ...options, kind: 'product-enrichment', modelType: tier ?? modelType, createdById } as const;
    await createJob(scope, job, productItems(ids.slice(at, at + PER_JOB)));
  }
}
