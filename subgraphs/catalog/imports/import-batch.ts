import { LockMode } from '@mikro-orm/postgresql';
import type { GraphQLError } from 'graphql';
import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { codeOf } from '../../../schema/errors.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob } from '../jobs/service.ts';
import { Product } from '../products/entity.ts';
import { productItems } from '../products/job-items.ts';
import { type CheckedProduct, importProducts } from '../products/service.ts';
import { sourceText, valuesOf } from './data.ts';
import type { FinalizeArguments, ImportCounts, ImportItem } from './entity.ts';
import { type KnownProduct, keyOf, type Located, locateProducts, type UpdateOptions, withProducts } from './known-products.ts';
import { changeOf, type ProductUpdate, writeUpdates } from './update.ts';

/** How items become products. */
export type ImportOptions = UpdateOptions & Pick<FinalizeArguments, 'mode'>;

/**
 * Imports items of an import in the transaction of the scope, families before their variants. Skips items that are already imported.
 * @param userId the owner of the enrichment that may follow
 */
export async function importBatch(
  scope: Scope,
  job: Job,
  ids: string[],
  options: ImportOptions,
  userId: string,
): Promise<ImportCounts> {
  // An edit of an item waits for the job. A concurrent import of the same items waits for them, and then skips those that are imported.
  await query(scope.em, sql`select id from catalog.jobs where id = ${job.id} for share`);
  await query(scope.em, sql`select id from catalog.import_items where id = any(${ids}::uuid[]) order by id for update`);
  const outcome = await importRows(scope, job.id, await readItems(scope, ids), options);
  await writeOutcome(scope, outcome);
  const count = (fate: Outcome['fate']) => outcome.values().reduce((sum, each) => sum + Number(each.fate === fate), 0);
  const [created, updated, unchanged, failed] = [count('created'), count('updated'), count('unchanged'), count('failed')];
  const changed = [...outcome.values()].flatMap(({ productId, fate }) => (productId && fate !== 'unchanged' ? [productId] : []));
  if (job.autoEnrich && changed.length > 0) await enrich(scope, job, changed, userId);
  return { imported: created + updated + unchanged, failed, created, updated, unchanged };
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
  { mode, ...options }: ImportOptions,
): Promise<Map<string, Outcome>> {
  const outcome = new Map<string, Outcome>();
  const families = await importedFamilies(scope, rows);
  const open = rows.filter(({ status }) => status !== 'completed');
  const known = mode === 'create' ? new Map<string, Located>() : await locateProducts(scope, open, options);
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
  const imported = await importedProducts(scope, jobId, [...known.values()]);
  const changed = new Set<string>();
  const update = (row: OpenItem, product: KnownProduct, parentId: string | undefined): ProductUpdate | undefined => {
    const change = changeOf(row, product, parentId, jobId, options);
    // Variants in several batches may name a parent that no row states.
    const isRepeated = changed.has(product.id) || (imported.has(product.id) && row.details.rows.length > 0);
    const refusal = isRepeated
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
    const turn = open.filter(({ type }) => (type === 'product') === isVariant);
    for await (const part of withProducts(scope, turn, known)) {
      const updates: ProductUpdate[] = [];
      for (const [row, product] of part) {
        const parentId = isVariant ? families.get(row.parentItemId!) : undefined;
        if (isVariant && !parentId) fail(row, 'The family of this variant was not imported.');
        else if (product) updates.push(...[update(row, product, parentId)].filter((each) => each !== undefined));
        else if (mode === 'update') fail(row, missing(row, options));
        else if (row.data.sku === '') fail(row, 'The file contains no SKU.');
        else if (row.details.questions.some(({ kind }) => kind === 'name')) fail(row, 'The file contains no name.');
        else if (taken.has(row)) refused.push(row);
        else {
          ready.push([row, newProduct(row, jobId, parentId)]);
          taken.add(row);
        }
      }
      await writeUpdates(scope, updates);
    }
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

/** The products that items of earlier batches have become. They are locked, so no other batch can change them now. */
async function importedProducts({ em }: Scope, jobId: string, known: readonly Located[]): Promise<Set<string>> {
  if (known.length === 0) return new Set();
  const found = await query(
    em,
    sql<{ id: string }>`select product_id as id from catalog.import_items
         where job_id = ${jobId} and status = 'completed' and product_id = any(${known.map(({ id }) => id)}::uuid[])`,
  );
  return new Set(found.map(({ id }) => id));
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

/** The SKUs and external ids that products have. */
class TakenKeys {
  constructor(
    private readonly skus: Set<string>,
    private readonly externalIds: Set<string>,
  ) {}

  has({ data: { sku, externalId } }: OpenItem): boolean {
    return this.skus.has(sku) || (externalId != null && this.externalIds.has(externalId));
  }

  add({ data: { sku, externalId } }: OpenItem): void {
    this.skus.add(sku);
    if (externalId != null) this.externalIds.add(externalId);
  }

  /** Why an update cannot give its product another SKU or external id. */
  refusalOfUpdate(update: ProductUpdate | undefined, product: KnownProduct): string | undefined {
    if (!update) return undefined;
    const { sku, externalId } = update.texts;
    if (sku !== product.sku && this.skus.has(sku!)) return `A product with the SKU ${sku} already exists.`;
    if (externalId !== product.externalId && externalId !== null && this.externalIds.has(externalId))
      return `A product with the external id ${externalId} already exists.`;
    this.skus.add(sku!);
    if (externalId !== null) this.externalIds.add(externalId);
    return undefined;
  }

  refusalOf({ data: { sku, externalId } }: OpenItem): string {
    const isExternal = externalId != null && this.externalIds.has(externalId) && !this.skus.has(sku);
    return `A product with the ${isExternal ? `external id ${externalId}` : `SKU ${sku}`} already exists.`;
  }
}

/** The keys of the items that existing products have. */
async function takenKeys({ em }: Scope, rows: OpenItem[]): Promise<TakenKeys> {
  const skus = rows.map(({ data }) => data.sku);
  const externalIds = rows.flatMap(({ data }) => data.externalId ?? []);
  const found = await em.find(
    Product,
    { $or: [{ sku: { $in: skus } }, { externalId: { $in: externalIds } }] },
    { fields: ['sku', 'externalId'] },
  );
  return new TakenKeys(new Set(found.map(({ sku }) => sku)), new Set(found.flatMap(({ externalId }) => externalId ?? [])));
}
