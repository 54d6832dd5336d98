import { fail } from '../../../schema/errors.ts';
import { query, sql } from '../../common/database.ts';
import { requireAll } from '../../common/ids.ts';
import { type RequestScope, type Scope, transaction } from '../../common/scope.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob, findJob } from '../jobs/service.ts';
import { productItems } from '../products/job-items.ts';
import type { NewProduct } from '../products/types.ts';
import { Turns } from '../uploads/turns.ts';
import { existingFamilies, importedFamilies } from './families.ts';
import { createFree, type Row, takenSkus } from './free.ts';
import type { FinalizeArguments, Finalized } from './types.ts';

const PER_JOB = 5_000;
/** One request for each job at a time, because the next one would hold a connection while it waits for the lock. */
const turns = new Turns(Number.POSITIVE_INFINITY);

/**
 * Import what was found into the catalog, all of it or what is named; what is imported already is passed over. A family comes before its
 * products, also when only they are named; a parent of its SKU and name that is in the catalog already takes its place. Throws `NOT_FOUND` with `missingIds` when it names what was not found in the files.
 */
export async function finalizeAiImportJob(
  scope: RequestScope,
  { jobId, all, itemIds, excludedIds }: FinalizeArguments,
): Promise<Finalized> {
  if (!all && !itemIds?.length) throw fail('INVALID_INPUT', 'all or itemIds is required');
  const job = await findJob(scope, jobId, 'ai-import');
  const finalize = async (inner: Scope) => {
    // Who finalizes the same job at the same time waits, and finds it imported.
    await query(inner.em, sql`select id from catalog.jobs where id = ${job.id} for update`);
    const named = await requireItems(inner, job.id, (all ? excludedIds : itemIds) ?? []);
    const rows = await selected(inner, job.id, all ? { excluded: named } : { named });
    const outcome = await importRows(inner, rows);
    await writeOutcome(inner, outcome);
    const imported = [...outcome.values()].filter(({ productId }) => productId !== null).map(({ productId }) => productId!);
    if (job.autoEnrich) await enrich(inner, job, imported, scope.caller.userId);
    return { jobId: job.id, imported: imported.length, failed: outcome.size - imported.length };
  };
  return turns.take(job.id, () => transaction(scope, finalize), scope.signal);
}

/** The ids of the items, each once. Throws `NOT_FOUND` with `missingIds` unless all are of the job. */
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

/** Families first. */
async function selected(
  { em, organizationId }: Scope,
  jobId: string,
  { named, excluded = [] }: { named?: string[]; excluded?: string[] },
): Promise<Row[]> {
  const ids = named ?? null;
  return query(
    em,
    sql<Row>`with chosen as (
         select * from catalog.import_items where job_id = ${jobId} and organization_id = ${organizationId} and status <> 'completed'
            and (${ids}::uuid[] is null or id = any(${ids}::uuid[])) and id <> all(${excluded}::uuid[])
       ), families as (
         select * from catalog.import_items where id in (select parent_item_id from chosen) and id <> all(${excluded}::uuid[])
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
  const families = await importedFamilies(scope, rows);
  const open = rows.filter(({ status }) => status !== 'completed');
  const taken = await takenSkus(scope, open);
  const succeed = ({ id, type }: Row, productId: string) => {
    outcome.set(id, { productId, errorMessage: null });
    if (type === 'family') families.set(id, productId);
  };
  const fail = ({ id }: Row, errorMessage: string) => outcome.set(id, { productId: null, errorMessage });
  const failTaken = async (lost: Row[]) => {
    const existing = await existingFamilies(scope, lost);
    for (const row of lost) {
      const parentId = existing.get(row.id);
      if (parentId) succeed(row, parentId);
      else fail(row, `A product with the SKU ${row.data.sku} exists already`);
    }
  };

  for (const isVariant of [false, true]) {
    const ready: [Row, NewProduct][] = [];
    const refused: Row[] = [];
    for (const row of open.filter(({ type }) => (type === 'product') === isVariant)) {
      const parentId = isVariant ? families.get(row.parentItemId!) : undefined;
      if (isVariant && !parentId) fail(row, 'Its family was not imported');
      else if (row.data.sku === '') fail(row, 'The file gives no SKU');
      else if (taken.has(row.data.sku)) refused.push(row);
      else {
        ready.push([row, newProduct(row, parentId)]);
        taken.add(row.data.sku);
      }
    }
    const { made, lost } = await createFree(scope, ready);
    for (const [row, productId] of made) succeed(row, productId);
    await failTaken([...refused, ...lost]);
  }
  return outcome;
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
