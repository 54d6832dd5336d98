import { LockMode } from '@mikro-orm/postgresql';
import type { GraphQLError } from 'graphql';
import { query, requireAll, sql } from '../../../platform/database/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { codeOf, fail } from '../../../schema/errors.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob, findJob } from '../jobs/service.ts';
import { Product } from '../products/entity.ts';
import { productItems } from '../products/job-items.ts';
import { type CheckedProduct, importProducts } from '../products/service.ts';
import { FairQueue } from '../uploads/fair-queue.ts';
import type { ImportItem } from './entity.ts';
import { sourceText, valuesOf } from './product-content.ts';
import { takenKeys } from './taken-keys.ts';
import type { FinalizeArguments, Finalized } from './types.ts';
import {
  changeOf,
  type KnownProduct,
  keyOf,
  knownProducts,
  type ProductUpdate,
  type UpdateOptions,
  writeUpdates,
} from './update.ts';

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
  { jobId, all, itemIds, excludedIds, ...options }: FinalizeArguments,
  batch = BATCH,
): Promise<Finalized> {
  if (!all && !itemIds?.length) throw fail('INVALID_INPUT', 'all or itemIds is required');
  const job = await findJob(scope, jobId, 'ai-import');
  const named = await requireItems(scope, job.id, (all ? excludedIds : itemIds) ?? []);
  const finalize = async () => {
    const ids = await openItems(scope, job.id, all ? { excluded: named } : { named });
    const result: Finalized = { jobId: job.id, imported: 0, failed: 0, created: 0, updated: 0, unchanged: 0 };
    for (let at = 0; at < ids.length; at += batch) {
      const part = await transaction(scope, (inner) =>
        importBatch(inner, job, ids.slice(at, at + batch), options, scope.caller.userId),
      );
      for (const [name, count] of Object.entries(part)) result[name as keyof typeof part] += count;
    }
    return result;
  };
  return queue.run(job.id, finalize, scope.signal);
}

type Options = UpdateOptions & Pick<FinalizeArguments, 'mode'>;

async function importBatch(
  scope: Scope,
  job: Job,
  ids: string[],
  options: Options,
  userId: string,
): Promise<Omit<Finalized, 'jobId'>> {
  // A concurrent call for the same job waits here and then skips the imported items.
  await query(scope.em, sql`select id from catalog.jobs where id = ${job.id} for update`);
  const outcome = await importRows(scope, job.id, await readItems(scope, ids), options);
  await writeOutcome(scope, outcome);
  const count = (fate: Outcome['fate']) => outcome.values().reduce((sum, each) => sum + Number(each.fate === fate), 0);
  const [created, updated, unchanged, failed] = [count('created'), count('updated'), count('unchanged'), count('failed')];
  const changed = [...outcome.values()].flatMap(({ productId, fate }) => (productId && fate !== 'unchanged' ? [productId] : []));
  if (job.autoEnrich && changed.length > 0) await enrich(scope, job, changed, userId);
  return { imported: created + updated + unchanged, failed, created, updated, unchanged };
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
         select id, parent_item_id, position, ${named}::uuid[] is null or id = any(${named}::uuid[]) as chosen from catalog.import_items
          where job_id = ${jobId} and organization_id = ${organizationId} and status <> 'completed' and id <> all(${excluded}::uuid[])
       )
       select id from open where chosen or id in (select parent_item_id from open where chosen)
        order by parent_item_id is not null, position, id`,
  );
  return found.map(({ id }) => id);
}

/** The open items of these ids and the imported families of variants, families first. */
const readItems = ({ em, organizationId }: Scope, ids: string[]): Promise<OpenItem[]> =>
  query(
    em,
    sql<OpenItem>`with chosen as (
         select * from catalog.import_items where id = any(${ids}::uuid[]) and organization_id = ${organizationId} and status <> 'completed'
       ), families as (
         select * from catalog.import_items where id in (select parent_item_id from chosen) and status = 'completed'
       )
       select id, parent_item_id as "parentItemId", type, status, data, details, product_id as "productId"
         from (select * from chosen union all select * from families) as found order by parent_item_id is not null, position, id`,
  );

interface Outcome {
  productId: string | null;
  errorMessage: string | null;
  fate: 'created' | 'updated' | 'unchanged' | 'failed';
}

async function importRows(
  scope: Scope,
  jobId: string,
  rows: OpenItem[],
  { mode, ...options }: Options,
): Promise<Map<string, Outcome>> {
  const outcome = new Map<string, Outcome>();
  const families = await importedFamilies(scope, rows);
  const open = rows.filter(({ status }) => status !== 'completed');
  const known = mode === 'create' ? new Map<string, KnownProduct>() : await knownProducts(scope, open, options);
  const taken = await takenKeys(scope, open);
  const succeed = ({ id, type }: OpenItem, productId: string, fate: Outcome['fate']) => {
    outcome.set(id, { productId, errorMessage: null, fate });
    if (type === 'family') families.set(id, productId);
  };
  const fail = ({ id }: OpenItem, errorMessage: string) => outcome.set(id, { productId: null, errorMessage, fate: 'failed' });
  const resolveTaken = async (conflicting: OpenItem[]) => {
    const existing = await existingFamilies(scope, conflicting);
    for (const row of conflicting) {
      const parentId = existing.get(row.id);
      if (parentId) succeed(row, parentId, 'unchanged');
      else fail(row, taken.refusalOf(row));
    }
  };
  const changed = new Set<string>();
  const update = (row: OpenItem, product: KnownProduct, parentId: string | undefined): ProductUpdate | undefined => {
    const change = changeOf(row, product, parentId, jobId, options);
    const refusal = changed.has(product.id)
      ? 'Another item changes the same product'
      : (change.refusal ?? taken.refusalOfUpdate(change.update, product));
    if (refusal) return void fail(row, refusal);
    changed.add(product.id);
    succeed(row, product.id, change.update ? 'updated' : 'unchanged');
    return change.update;
  };

  for (const isVariant of [false, true]) {
    const ready: [OpenItem, CheckedProduct][] = [];
    const refused: OpenItem[] = [];
    const updates: ProductUpdate[] = [];
    for (const row of open.filter(({ type }) => (type === 'product') === isVariant)) {
      const parentId = isVariant ? families.get(row.parentItemId!) : undefined;
      const product = known.get(row.id);
      if (isVariant && !parentId) fail(row, 'The family of this variant was not imported');
      else if (product) updates.push(...[update(row, product, parentId)].filter((each) => each !== undefined));
      else if (mode === 'update') fail(row, missing(row, options));
      else if (row.data.sku === '') fail(row, 'The file contains no SKU');
      else if (row.details.questions.some(({ kind }) => kind === 'name')) fail(row, 'The file contains no name');
      else if (taken.has(row)) refused.push(row);
      else {
        ready.push([row, newProduct(row, jobId, parentId)]);
        taken.add(row);
      }
    }
    await writeUpdates(scope, updates);
    const { created, conflicting } = await createAvailable(scope, ready);
    for (const [row, productId] of created) succeed(row, productId, 'created');
    await resolveTaken([...refused, ...conflicting]);
  }
  return outcome;
}

function missing(row: OpenItem, { matchBy }: UpdateOptions): string {
  const key = keyOf(row, matchBy);
  const name = matchBy === 'sku' ? 'SKU' : 'external id';
  return key === '' ? `The file contains no ${name}` : `No product has the ${name} ${key}`;
}

function newProduct({ type, data, details }: OpenItem, jobId: string, parentId: string | undefined): CheckedProduct {
  const { variantOptions: _, ...fields } = data;
  const source = sourceText(details);
  return {
    ...fields,
    isParent: type === 'family',
    ...(parentId && { parentId }),
    userProvidedRawDataSources: source === '' ? [] : [source],
    ...valuesOf(details, jobId),
  };
}

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
async function importedFamilies({ em }: Scope, rows: readonly OpenItem[]): Promise<Map<string, string>> {
  const imported = rows.flatMap(({ id, type, productId }) => (type === 'family' && productId ? [[id, productId] as const] : []));
  const ids = imported.map(([, productId]) => productId);
  const found = await em.find(Product, { id: { $in: ids }, isParent: true }, { fields: ['id'], ...LOCKED });
  const known = new Set(found.map(({ id }) => id));
  return new Map(imported.filter(([, productId]) => known.has(productId)));
}

/** Parents in the catalog with the SKU and name of a family, ignoring the case of the name, by item id. They are locked. */
async function existingFamilies({ em }: Scope, rows: readonly OpenItem[]): Promise<Map<string, string>> {
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
type OpenItem = Pick<ImportItem, 'id' | 'parentItemId' | 'type' | 'status' | 'data' | 'details' | 'productId'>;

interface CreationResult {
  created: [OpenItem, productId: string][];
  /** Items whose SKU or external id was taken by a concurrent request. */
  conflicting: OpenItem[];
}

/** Creates the products whose SKU is not taken at the time of the write. */
async function createAvailable(scope: Scope, ready: [OpenItem, CheckedProduct][]): Promise<CreationResult> {
  if (ready.length === 0) return { created: [], conflicting: [] };
  try {
    const products = await importProducts(
      scope,
      ready.map(([, product]) => product),
    );
    return { created: ready.map(([row], at) => [row, products[at]!.id]), conflicting: [] };
  } catch (error) {
    if (codeOf(error as GraphQLError) !== 'CONFLICT') throw error;
    const taken = await takenKeys(
      scope,
      ready.map(([row]) => row),
    );
    const free = ready.filter(([row]) => !taken.has(row));
    if (free.length === ready.length) throw error;
    const conflicting = ready.flatMap(([row]) => (taken.has(row) ? [row] : []));
    const others = await createAvailable(scope, free);
    return { created: others.created, conflicting: [...conflicting, ...others.conflicting] };
  }
}
