import { LockMode } from '@mikro-orm/postgresql';
import type { GraphQLError } from 'graphql';
import { query, requireAll, sql } from '../../../platform/database/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { codeOf, fail } from '../../../schema/errors.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob, findJob } from '../jobs/service.ts';
import { Product } from '../products/entity.ts';
import { productItems } from '../products/job-items.ts';
import { importProducts } from '../products/service.ts';
import type { NewProduct } from '../products/types.ts';
import { FairQueue } from '../uploads/fair-queue.ts';
import type { ImportItem } from './entity.ts';
import type { FinalizeArguments, Finalized } from './types.ts';

/** Items of one transaction, for whose locks other writes of products wait, and products of one enrichment job. */
const BATCH = 5_000;
/** One request per job at a time, because waiting for the row lock would hold a connection. */
const queue = new FairQueue(Number.POSITIVE_INFINITY);

/**
 * Imports all or selected items into the catalog and skips items that are already imported. The family of a selected variant is
 * imported first, unless the catalog has a parent with its SKU and name. Throws `NOT_FOUND` with `missingIds` for unknown items. A call
 * that is interrupted has imported some batches, and the next one continues.
 */
export async function finalizeAiImportJob(
  scope: Scope & Pick<RequestScope, 'caller'>,
  { jobId, all, itemIds, excludedIds }: FinalizeArguments,
  batch = BATCH,
): Promise<Finalized> {
  if (!all && !itemIds?.length) throw fail('INVALID_INPUT', 'all or itemIds is required');
  const job = await findJob(scope, jobId, 'ai-import');
  const named = await requireItems(scope, job.id, (all ? excludedIds : itemIds) ?? []);
  const finalize = async () => {
    const ids = await openItems(scope, job.id, all ? { excluded: named } : { named });
    const result = { jobId: job.id, imported: 0, failed: 0 };
    for (let at = 0; at < ids.length; at += batch) {
      const part = await transaction(scope, (inner) => importBatch(inner, job, ids.slice(at, at + batch), scope.caller.userId));
      result.imported += part.imported;
      result.failed += part.failed;
    }
    return result;
  };
  return queue.run(job.id, finalize, scope.signal);
}

async function importBatch(scope: Scope, job: Job, ids: string[], userId: string): Promise<Omit<Finalized, 'jobId'>> {
  // A concurrent call for the same job waits here and then skips the imported items.
  await query(scope.em, sql`select id from catalog.jobs where id = ${job.id} for update`);
  const outcome = await importRows(scope, await readItems(scope, ids));
  await writeOutcome(scope, outcome);
  const imported = [...outcome.values()].filter(({ productId }) => productId !== null).map(({ productId }) => productId!);
  if (job.autoEnrich && imported.length > 0) await enrich(scope, job, imported, userId);
  return { imported: imported.length, failed: outcome.size - imported.length };
}

/** The distinct ids of the items. Throws `NOT_FOUND` with `missingIds` unless all belong to the job. */
async function requireItems({ em, organizationId }: Scope, jobId: string, ids: readonly string[]): Promise<string[]> {
  const found = await requireAll(ids, 'Import item', (known) =>
    query(
      em,
      sql<{ id: string }>`select id from catalog.import_items
         where job_id = ${jobId} and organization_id = ${organizationId} and id = any(${known}::uuid[])`,
    ),
  );
  return found.map(({ id }) => id);
}

/** The items to import with the families of selected variants, families first. */
async function openItems(
  { em, organizationId }: Scope,
  jobId: string,
  { named = null, excluded = [] }: { named?: string[] | null; excluded?: string[] },
): Promise<string[]> {
  const found = await query(
    em,
    sql<{ id: string }>`with open as (
         select id, parent_item_id, name, ${named}::uuid[] is null or id = any(${named}::uuid[]) as chosen from catalog.import_items
          where job_id = ${jobId} and organization_id = ${organizationId} and status <> 'completed' and id <> all(${excluded}::uuid[])
       )
       select id from open where chosen or id in (select parent_item_id from open where chosen)
        order by parent_item_id is not null, name, id`,
  );
  return found.map(({ id }) => id);
}

/** The open items of these ids and the imported families of variants, families first. */
const readItems = ({ em, organizationId }: Scope, ids: string[]): Promise<ImportRow[]> =>
  query(
    em,
    sql<ImportRow>`with chosen as (
         select * from catalog.import_items where id = any(${ids}::uuid[]) and organization_id = ${organizationId} and status <> 'completed'
       ), families as (
         select * from catalog.import_items where id in (select parent_item_id from chosen) and status = 'completed'
       )
       select id, parent_item_id as "parentItemId", type, status, data, product_id as "productId"
         from (select * from chosen union all select * from families) as found order by parent_item_id is not null, name, id`,
  );

interface Outcome {
  productId: string | null;
  errorMessage: string | null;
}

async function importRows(scope: Scope, rows: ImportRow[]): Promise<Map<string, Outcome>> {
  const outcome = new Map<string, Outcome>();
  const families = await importedFamilies(scope, rows);
  const open = rows.filter(({ status }) => status !== 'completed');
  const taken = await takenSkus(scope, open);
  const succeed = ({ id, type }: ImportRow, productId: string) => {
    outcome.set(id, { productId, errorMessage: null });
    if (type === 'family') families.set(id, productId);
  };
  const fail = ({ id }: ImportRow, errorMessage: string) => outcome.set(id, { productId: null, errorMessage });
  const resolveTaken = async (conflicting: ImportRow[]) => {
    const existing = await existingFamilies(scope, conflicting);
    for (const row of conflicting) {
      const parentId = existing.get(row.id);
      if (parentId) succeed(row, parentId);
      else fail(row, `A product with the SKU ${row.data.sku} already exists`);
    }
  };

  for (const isVariant of [false, true]) {
    const ready: [ImportRow, NewProduct][] = [];
    const refused: ImportRow[] = [];
    for (const row of open.filter(({ type }) => (type === 'product') === isVariant)) {
      const parentId = isVariant ? families.get(row.parentItemId!) : undefined;
      if (isVariant && !parentId) fail(row, 'The family of this variant was not imported');
      else if (row.data.sku === '') fail(row, 'The file contains no SKU');
      else if (taken.has(row.data.sku)) refused.push(row);
      else {
        ready.push([row, newProduct(row, parentId)]);
        taken.add(row.data.sku);
      }
    }
    const { created, conflicting } = await createAvailable(scope, ready);
    for (const [row, productId] of created) succeed(row, productId);
    await resolveTaken([...refused, ...conflicting]);
  }
  return outcome;
}

const newProduct = ({ type, data: { variantOptions: _, ...data } }: ImportRow, parentId: string | undefined): NewProduct => ({
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

/** Starts an enrichment job for the imported products, with the files of the import as sources. */
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
  const job = { ...options, kind: 'product-enrichment', modelType: tier ?? modelType, createdById } as const;
  await createJob(scope, job, productItems(ids));
}

/** Locked parents stay parents until their new variants are written. */
const LOCKED = { lockMode: LockMode.PESSIMISTIC_READ, orderBy: { id: 'asc' }, refresh: true } as const;

/** Products of imported families that are still parents, by item id. They are locked. */
async function importedFamilies({ em }: Scope, rows: readonly ImportRow[]): Promise<Map<string, string>> {
  const imported = rows.flatMap(({ id, type, productId }) => (type === 'family' && productId ? [[id, productId] as const] : []));
  const ids = imported.map(([, productId]) => productId);
  const found = await em.find(Product, { id: { $in: ids }, isParent: true }, { fields: ['id'], ...LOCKED });
  const known = new Set(found.map(({ id }) => id));
  return new Map(imported.filter(([, productId]) => known.has(productId)));
}

/** Parents in the catalog with the SKU and name of a family, ignoring the case of the name, by item id. They are locked. */
async function existingFamilies({ em }: Scope, rows: readonly ImportRow[]): Promise<Map<string, string>> {
  const families = rows.filter(({ type, data }) => type === 'family' && data.sku !== '');
  if (families.length === 0) return new Map();
  const where = { sku: { $in: families.map(({ data }) => data.sku) }, isParent: true };
  const parents = await em.find(Product, where, { fields: ['sku', 'name'], ...LOCKED });
  const bySku = new Map(parents.map((parent) => [parent.sku, parent]));
  return new Map(
    families.flatMap(({ id, data }) => {
      const parent = bySku.get(data.sku);
      return parent && sameName(parent.name, data.name) ? [[id, parent.id] as const] : [];
    }),
  );
}

const sameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

/** The part of an item that the import needs. */
type ImportRow = Pick<ImportItem, 'id' | 'parentItemId' | 'type' | 'status' | 'data' | 'productId'>;

interface CreationResult {
  created: [ImportRow, productId: string][];
  /** Items whose SKU was taken by a concurrent request. */
  conflicting: ImportRow[];
}

/** Creates the products whose SKU is not taken at the time of the write. */
async function createAvailable(scope: Scope, ready: [ImportRow, NewProduct][]): Promise<CreationResult> {
  if (ready.length === 0) return { created: [], conflicting: [] };
  try {
    const products = await importProducts(
      scope,
      ready.map(([, product]) => product),
    );
    return { created: ready.map(([row], at) => [row, products[at]!.id]), conflicting: [] };
  } catch (error) {
    if (codeOf(error as GraphQLError) !== 'CONFLICT') throw error;
    const taken = await takenSkus(
      scope,
      ready.map(([row]) => row),
    );
    const free = ready.filter(([{ data }]) => !taken.has(data.sku));
    if (free.length === ready.length) throw error;
    const conflicting = ready.flatMap(([row]) => (taken.has(row.data.sku) ? [row] : []));
    const others = await createAvailable(scope, free);
    return { created: others.created, conflicting: [...conflicting, ...others.conflicting] };
  }
}

/** SKUs of the items that existing products have. */
async function takenSkus({ em }: Scope, rows: ImportRow[]): Promise<Set<string>> {
  const found = await em.find(Product, { sku: { $in: rows.map(({ data }) => data.sku) } }, { fields: ['sku'] });
  return new Set(found.map(({ sku }) => sku));
}
