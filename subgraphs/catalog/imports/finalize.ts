import { query, requireAll, sql } from '../../../platform/database/index.ts';
import { FairQueue } from '../../../platform/queues/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { findJob } from '../jobs/service.ts';
import type { FinalizeArguments, Finalized } from './entity.ts';
import { importBatch } from './import-batch.ts';

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

/** The distinct ids of the items. Throws `NOT_FOUND` with `missingIds` unless all belong to the job. */
export async function requireItems({ em, organizationId }: Scope, jobId: string, ids: readonly string[]): Promise<string[]> {
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
export interface Choice {
  named?: string[] | null;
  excluded?: string[];
}

/** SQL of the items to import, with the families of chosen variants. */
export const chosenItems = ({ organizationId }: Scope, jobId: string, { named = null, excluded = [] }: Choice) => sql<unknown>`
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
