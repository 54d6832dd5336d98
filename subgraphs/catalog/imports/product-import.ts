import { query, sql } from '../../../platform/database/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { storable } from '../../../schema/text.ts';
import { Job } from '../jobs/entity.ts';
import { ItemFailure, type JobKind } from '../jobs/job-kind.ts';
import { createJob, findJob, type Items } from '../jobs/service.ts';
import type { FinalizeArguments, ImportCounts } from './entity.ts';
import { type Choice, chosenItems, requireItems } from './finalize.ts';
import { importBatch } from './import-batch.ts';

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
