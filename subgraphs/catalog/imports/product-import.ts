import { query, requireAll, sql } from '../../../platform/database/index.ts';
import { FairQueue } from '../../../platform/queues/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { storable } from '../../../schema/text.ts';
import { Job } from '../jobs/entity.ts';
import { ItemFailure, type JobKind } from '../jobs/job-kind.ts';
import { createJob, findJob, type Items } from '../jobs/service.ts';
import type { FinalizeArguments, Finalized, ImportCounts } from './entity.ts';
import { importBatch } from './import-batch.ts';

/** Items of one transaction of a request, for whose locks other writes of products wait, and products of one enrichment job. */
const REQUEST_BATCH = 5_000;
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
  batch = REQUEST_BATCH,
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

/** Import items of one job item, which is one transaction. An import that starts enrichments makes one for each. */
const [BATCH, ENRICHED_BATCH] = [1_000, 5_000];

/** Creates and changes products from the items of an import. An item that a killed worker did not commit runs again. */
export const productImport: JobKind = {
  // Much of the work is done before the transactions of an organization wait for each other.
  concurrency: 3,
  prices: { 'budget-v1': { item: 0 }, 'pro-v1': { item: 0 } },
  completesRunningItems: true,
  changesAsCreator: true,
  notRepeatable: 'The items of an import become products once.',

  async process(_scope, { id, importJobId, importOptions, createdById }, { importItemIds }) {
    const apply = async (scope: Scope) => {
      const job = await scope.em.findOne(Job, importJobId!);
      if (!job) throw new ItemFailure('The import was deleted');
      const counts = await importBatch(scope, job, importItemIds ?? [], importOptions!, createdById);
      await addCounts(scope, id, counts);
    };
    return { item: {}, apply };
  },

  async failed(scope, { id, importJobId }, { importItemIds }, message) {
    const { em, organizationId } = scope;
    // An edit of an item waits for the job.
    await query(em, sql`select id from catalog.jobs where id = ${importJobId} for share`);
    const failed = await query(
      em,
      sql`update catalog.import_items set status = 'failed', error_message = ${storable(message)}
           where id = any(${importItemIds ?? []}::uuid[]) and organization_id = ${organizationId} and status <> 'completed' returning id`,
    );
    await addCounts(scope, id, { imported: 0, created: 0, updated: 0, unchanged: 0, failed: failed.length });
  },
};

/** Adds to the counts of the job in the transaction of the scope. */
const addCounts = ({ em }: Scope, jobId: string, counts: ImportCounts) =>
  query(
    em,
    sql`update catalog.jobs set import_counts = (
          select jsonb_object_agg(key, value::int + coalesce((import_counts ->> key)::int, 0)) from jsonb_each_text(${JSON.stringify(counts)}::jsonb))
         where id = ${jobId}`,
  );

/**
 * Starts a job that imports all or selected items into the catalog, with the rules of `finalizeAiImportJob`. Throws `UNPROCESSABLE` if
 * nothing is left to import.
 */
export async function createProductImportJob(
  scope: RequestScope,
  { jobId, all, itemIds, excludedIds, ...importOptions }: FinalizeArguments,
): Promise<Job> {
  if (!all && !itemIds?.length) throw fail('INVALID_INPUT', 'all or itemIds is required');
  const { id: importJobId, modelType, autoEnrich } = await findJob(scope, jobId, 'ai-import');
  const named = await requireItems(scope, importJobId, (all ? excludedIds : itemIds) ?? []);
  const batch = autoEnrich ? ENRICHED_BATCH : BATCH;
  return scope.write(async (inner) => {
    const job = { kind: 'product-import', modelType, importJobId, importOptions, createdById: scope.caller.userId } as const;
    const created = await createJob(inner, job, batches(importJobId, all ? { excluded: named } : { named }, batch));
    if (created.totalCount === 0) throw fail('UNPROCESSABLE', 'All these items are imported already.');
    return created;
  });
}

/** The open items in batches, in the order of the files. Families, also those of selected variants, come before all variants. */
const batches = (importJobId: string, choice: Choice, size: number): Items => ({
  count: 0,
  insert: (scope, jobId) =>
    query(
      scope.em,
      sql`with placed as (
            select id, position, case when parent_item_id is null then 0 else 1 end as phase,
                   (row_number() over (partition by parent_item_id is null order by position, id) - 1) / ${size}::int as part
              from (${chosenItems(scope, importJobId, choice)}) as items)
          insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, phase, import_item_ids)
          select gen_random_uuid(), ${scope.organizationId}, ${jobId}, n - 1, n - 1, phase, ids
            from (select phase, array_agg(id order by position, id) as ids, row_number() over (order by phase, part) as n
                    from placed group by phase, part) as parts`,
    ),
});

/** The latest job that imports the items of each import. */
export async function latestImports({ em, organizationId }: Scope, importIds: string[]): Promise<Map<string, string>> {
  const found = await query(
    em,
    sql<{ id: string; importId: string }>`select w."importId", j.id from unnest(${importIds}::uuid[]) as w ("importId"),
         lateral (select id from catalog.jobs where import_job_id = w."importId" and organization_id = ${organizationId}
                   order by created_at desc, id desc limit 1) j`,
  );
  return new Map(found.map(({ id, importId }) => [importId, id]));
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

/** All items, or only some of them. */
interface Choice {
  named?: string[] | null;
  excluded?: string[];
}

/** SQL of the items to import, with the families of chosen variants. */
const chosenItems = ({ organizationId }: Scope, jobId: string, { named = null, excluded = [] }: Choice) => sql<unknown>`
  with open as (
    select id, parent_item_id, position, ${named}::uuid[] is null or id = any(${named}::uuid[]) as chosen from catalog.import_items
     where job_id = ${jobId} and organization_id = ${organizationId} and status <> 'completed' and id <> all(${excluded}::uuid[]))
  select id, parent_item_id, position from open where chosen or id in (select parent_item_id from open where chosen)`;

/** The items to import, families first. */
async function openItems(scope: Scope, jobId: string, choice: Choice): Promise<string[]> {
  const found = await query(
    scope.em,
    sql<{
      id: string;
    }>`select id from (${chosenItems(scope, jobId, choice)}) as items order by parent_item_id is not null, position, id`,
  );
  return found.map(({ id }) => id);
}
