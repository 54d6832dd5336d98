import { moveCredits } from '../../../platform/credits/index.ts';
import { actFor, clock, query, queryPrepared, sql, withDeadlockRetry } from '../../../platform/database/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import { type Job, JobItem } from './entity.ts';
import { type ItemOutcome, itemCharge, kindOf } from './job-kind.ts';

/** An item whose work is done, with its result. */
interface Completion {
  item: JobItem;
  cost: number;
  outcome: ItemOutcome;
}

interface Waiting extends Completion {
  /** Whether the item was still open. */
  resolve(isCounted: boolean): void;
  reject(error: unknown): void;
}

/** Maximum items of a transaction. */
const MAX_BATCH = 20;

/** The completions that wait for the current transaction of their job in this process. */
const queues = new Map<string, Waiting[]>();

/**
 * Completes an item: writes its result, the counters and the log in one transaction. Items of a job that complete during that transaction
 * share the next one, because they would wait for each other anyway. Returns false if the item had already ended.
 */
export async function completeItem(scope: Scope, job: Job, completion: Completion): Promise<boolean> {
  if (!mayShare(job, completion.outcome)) return write(scope, job, [completion]).then(([isCounted]) => isCounted!);
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const waiting = { ...completion, resolve, reject };
  const queue = queues.get(job.id);
  if (queue) queue.push(waiting);
  else void writeQueue(scope, job, [waiting]);
  return promise;
}

/** The limits of the error rate and the confidence apply after each item. */
const mayShare = ({ maxErrorRate, minConfidence }: Job, { batch }: ItemOutcome): boolean =>
  batch !== undefined && maxErrorRate === null && minConfidence === null;

async function writeQueue(scope: Scope, job: Job, queue: Waiting[]): Promise<void> {
  queues.set(job.id, queue);
  while (queue.length > 0) await writeTogether(scope, job, queue.splice(0, MAX_BATCH));
  queues.delete(job.id);
}

/**
 * Never rejects. When a transaction of several items fails, each gets its own, so that one item cannot fail the others. The queue does
 * not wait for these.
 */
async function writeTogether(scope: Scope, job: Job, items: Waiting[]): Promise<void> {
  try {
    const counted = await write(scope, job, items);
    for (const [at, { resolve }] of items.entries()) resolve(counted[at]!);
  } catch (error) {
    if (items.length === 1) return items[0]!.reject(error);
    for (const item of items) void writeTogether(scope, job, [item]);
  }
}

/** Writes items of one job in one transaction. Returns for each whether it was still open. */
function write(scope: Scope, { id: jobId, kind, createdById }: Job, completions: readonly Completion[]): Promise<boolean[]> {
  const complete = async (inner: Scope): Promise<boolean[]> => {
    if (kindOf(kind).changesAsCreator) await actFor(inner.em, createdById);
    const endings = completions.map(({ item: { id }, cost, outcome }) => ({ ...outcome.item, id, cost }));
    const ended = await endItems(inner, 'completed', endings);
    const open = completions.filter(({ item }) => ended.has(item.id));
    // A crash of PostgreSQL can lose the start of an item, with its charge, while the item runs.
    const uncharged = open.filter(({ item, cost }) => cost > 0 && ended.get(item.id) === 'pending');
    for (const { item, cost } of uncharged) await moveCredits(inner, itemCharge(kind, item.id, cost), { enforce: false });
    if (open.length > 0) {
      await apply(
        inner,
        open.map(({ outcome }) => outcome),
      );
      await countItems(
        inner,
        jobId,
        open.map(({ item }) => item.id),
        {
          cost: open.reduce((sum, { cost }) => sum + cost, 0),
          confidences: open.flatMap(({ outcome }) => confidencesOf(outcome.item)),
        },
      );
    }
    return completions.map(({ item }) => ended.has(item.id));
  };
  return withDeadlockRetry(() => transaction(scope, complete));
}

async function apply(scope: Scope, outcomes: readonly ItemOutcome[]): Promise<void> {
  const results = outcomes.flatMap(({ batch }) => (batch ? [batch.result] : [])) as never[];
  await outcomes[0]!.batch?.write(scope, results);
  for (const outcome of outcomes) await outcome.apply?.(scope);
}

/** The calibrated confidences of the values that a model found. */
const confidencesOf = ({ provenance }: ItemOutcome['item']): number[] =>
  Object.values(provenance ?? {}).flatMap(({ sourceKind, confidence }) => (sourceKind === 'variants' ? [] : [confidence]));

/** Number of processed items from which on the limits of the error rate and the confidence apply. */
const MIN_PROCESSED = 10;

type Ending = { id: string; cost: number } & ItemOutcome['item'];

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

/** Refunds charged items and returns the total amount. */
export async function refundItems(scope: Scope, itemIds: string[]): Promise<number> {
  const references = itemIds.map((id) => `item:${id}`);
  const entries = await query(
    scope.em,
    sql<{ amount: string; reference: string }>`select amount, reference from identity.credit_entries
       where organization_id = ${scope.organizationId} and reference = any(${references})`,
  );
  for (const { amount, reference } of entries) {
    await moveCredits(scope, { amount: -Number(amount), reason: 'failed item', reference: `refund:${reference}` });
  }
  return entries.reduce((sum, { amount }) => sum - Number(amount), 0);
}
