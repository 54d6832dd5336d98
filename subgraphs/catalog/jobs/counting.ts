import { clock, queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { JobItem } from './item-entity.ts';
import type { Outcome } from './kind.ts';

/** Number of processed items from which on the limits of the error rate and the confidence apply. */
const MIN_PROCESSED = 10;

type Ending = { id: string; cost: number } & Outcome['item'];

/**
 * Ends items that are open, and stores their columns, which must be the same for all. Returns the former status of those that had not
 * ended before, by id; only they may be counted. Locks items in processing order, as a stop does.
 */
export async function endItems(
  { em, organizationId }: Scope,
  status: 'completed' | 'failed',
  endings: readonly Ending[],
): Promise<Map<string, string>> {
  const { properties } = em.getMetadata().get(JobItem);
  const columns = Object.keys(endings[0]!).map((name) => {
    const { fieldNames, columnTypes } = properties[name as keyof typeof properties];
    return { name, column: sql.ref(fieldNames[0]!), type: sql.raw(columnTypes[0]!) };
  });
  const rows = endings.map((ending) => columns.map(({ name }) => ending[name as keyof Ending] ?? null));
  const given = JSON.stringify(rows.map((row) => Object.fromEntries(row.map((value, at) => [`c${at}`, value]))));
  const typed = columns.map(({ type }, at) => sql`${sql.ref(`c${at}`)} ${type}`);
  const set = columns.flatMap(({ name, column }, at) => (name === 'id' ? [] : [sql`${column} = ${sql.ref(`e.c${at}`)}`]));
  const id = sql.ref(`e.c${columns.findIndex(({ name }) => name === 'id')}`);
  const ended = await queryPrepared(
    em,
    sql<{ id: string; before: string }>`with open as materialized (
          select id, status from catalog.job_items where id = any(${endings.map((each) => each.id)}::uuid[]) and organization_id = ${organizationId}
             and status in ('pending', 'processing') order by turn for update)
        update catalog.job_items i set status = ${status}, completed_at = ${clock.now()}, ${sql.join(set)}
          from open, jsonb_to_recordset(${given}::jsonb) as e (${sql.join(typed)})
         where i.id = open.id and ${id} = open.id returning i.id, open.status as before`,
  );
  return new Map(ended.map(({ id, before }) => [id, before]));
}

interface Counted {
  /** How many of the items failed; the others succeeded. */
  failed?: number;
  summary?: string | null;
  refunded?: number;
  cost?: number;
  confidences?: readonly number[];
}

/**
 * Counts items that ended, as one change of the job. Runs last in every transaction, because it locks the row of the job, on which all
 * items contend.
 */
export async function countItems(
  { em }: Scope,
  jobId: string,
  itemIds: readonly string[],
  { failed = 0, summary = null, refunded = 0, cost = 0, confidences = [] }: Counted = {},
): Promise<void> {
  const count = itemIds.length;
  const confidence = confidences.reduce((sum, each) => sum + each, 0);
  const limit = sql`case when status <> 'processing' or processed_count + ${count}::int < ${sql.lit(MIN_PROCESSED)} then null
                         when (failed_count + ${failed}::int)::float8 / (processed_count + ${count}::int) > max_error_rate then 'errors'
                         when (confidence_sum + ${confidence}::float8) / nullif(value_count + ${confidences.length}::int, 0) < min_confidence
                         then 'confidence' end`;
  await queryPrepared(
    em,
    sql`with counted as (
          update catalog.jobs set processed_count = processed_count + ${count}::int, success_count = success_count + ${count - failed}::int,
                 failed_count = failed_count + ${failed}::int, sequence = sequence + 1, error_summary = coalesce(error_summary, ${summary}),
                 spent = greatest(0, spent - ${refunded}::numeric), cost = cost + ${cost}::numeric,
                 value_count = value_count + ${confidences.length}::int, confidence_sum = confidence_sum + ${confidence}::float8,
                 paused = paused or ${limit} is not null, pause_reason = case when paused then pause_reason else ${limit} end
           where id = ${jobId} returning *)
        insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count, item_ids)
        select id, sequence, status, processed_count, success_count, failed_count, ${itemIds}::uuid[] from counted`,
  );
}
