import { moveCredits } from '../../common/credits.ts';
import { query, sql } from '../../common/database.ts';
import { readRows } from '../../common/rows.ts';
import { type Scope, transaction } from '../../common/scope.ts';
import { appendChange } from './changes.ts';
import { failJob } from './ending.ts';
import { Job } from './entity.ts';
import { emitEnd, emitStart } from './events.ts';
import { ItemFailure } from './failure.ts';
import { JobItem } from './item-entity.ts';
import type { Outcome, WorkScope } from './kind.ts';
import { CeilingReached, pauseJob, spend } from './pausing.ts';
import { refundItems } from './refunds.ts';
import { kindOf } from './registry.ts';

/** A rate of errors says something only after more items than this. */
const TOO_EARLY = 9;
const OUT_OF_CREDITS = 'Credit balance limit has been reached.';

/**
 * Take up a job: pending becomes processing, or failed when it cannot be done at all. Says how many items may be in hand, or that
 * there is nothing to do any more; a stopped job may still have items in hand, which are finished.
 */
export async function begin(scope: Scope, jobId: string): Promise<{ concurrency: number; open: boolean }> {
  await takeUp(scope, jobId);
  const job = await scope.em.findOne(Job, jobId);
  if (!job) return { concurrency: 0, open: false };
  const { concurrency } = kindOf(job.kind);
  if (job.status === 'stopped') return { concurrency, open: true };
  return { concurrency, open: job.status === 'processing' && !job.paused && (await canBeDone(scope, job)) };
}

async function takeUp(scope: Scope, jobId: string): Promise<void> {
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    const [taken] = await query(
      em,
      sql<Pick<Job, 'kind'>>`update catalog.jobs set status = 'processing', started_at = now(), sequence = sequence + 1
           where id = ${jobId} and organization_id = ${organizationId} and status = 'pending' returning kind`,
    );
    if (!taken) return;
    await appendChange(em, jobId);
    await emitStart(inner, taken.kind, jobId);
  });
}

/** Whether there is still what the whole job stands on; it fails when there is not. */
async function canBeDone(scope: Scope, job: Job): Promise<boolean> {
  try {
    await kindOf(job.kind).check?.(scope, job);
    return true;
  } catch (error) {
    if (!(error instanceof ItemFailure)) throw error;
    await transaction(scope, (inner) => failJob(inner, job, error.message));
    return false;
  }
}

/** The next items that are not at their end, in the order of work. */
export async function openItems({ em, organizationId }: Scope, jobId: string, after: number, limit: number) {
  return query(
    em,
    sql<{
      id: string;
      turn: number;
      phase: number;
    }>`select i.id, i.turn, i.phase from catalog.job_items i join catalog.jobs j on j.id = i.job_id
       where i.job_id = ${jobId} and i.organization_id = ${organizationId} and i.turn > ${after} and i.status in ('pending', 'processing')
         and (i.status = 'processing' or not j.paused and i.turn < coalesce(j.open_until, i.turn + 1))
       order by i.turn limit ${limit}`,
  );
}

/** Work on one item to its end. Safe to run twice: what is done is not done again, and what was paid is not paid again. */
export async function processItem(scope: WorkScope, itemId: string): Promise<void> {
  const begun = await beginItem(scope, itemId);
  if (!begun) return;
  const { job, item, price } = begun;
  try {
    const outcome = await kindOf(job.kind).process(scope, job, item);
    await finishItem(scope, item, price, outcome);
  } catch (error) {
    if (!(error instanceof ItemFailure)) throw error;
    await failItem(scope, item.id, error.message);
  }
}

interface Begun {
  job: Job;
  item: JobItem;
  price: number;
}

/** Take an item in hand and pay for it. Nothing when it is at its end, or its job was stopped before it was in hand. */
async function beginItem(scope: Scope, itemId: string): Promise<Begun | undefined> {
  const [item] = await readRows(scope, JobItem, { where: { id: itemId } });
  const [job] = item ? await readRows(scope, Job, { where: { id: item.jobId } }) : [];
  if (!item || !job) return undefined;
  const price = await priceOf(scope, job, item);
  // In one transaction: an item that somebody else has failed meanwhile must not be paid for after its refund.
  const taken = await transaction(scope, (inner) => takeItem(inner, { itemId, price, reason: `${job.kind} item`, job })).catch(
    (error: unknown) => (error instanceof CeilingReached ? pauseJob(scope, job.id) : Promise.reject(error)),
  );
  if (taken === 'paid') return { job, item, price };
  if (taken === 'unpaid') await failItem(scope, itemId, OUT_OF_CREDITS, OUT_OF_CREDITS);
  return undefined;
}

async function priceOf(scope: Scope, { kind: name, modelType }: Job, item: JobItem): Promise<number> {
  const kind = kindOf(name);
  const { item: full, parent = full } = kind.prices[modelType];
  return (await kind.isParent?.(scope, item)) ? parent : full;
}

async function takeItem(
  scope: Scope,
  { itemId, price, reason, job }: { itemId: string; price: number; reason: string; job: Job },
): Promise<'paid' | 'unpaid' | undefined> {
  const [taken] = await query(
    scope.em,
    // The inner query sees the item as it was.
    sql<{ before: string }>`update catalog.job_items i set status = 'processing', started_at = coalesce(i.started_at, now())
       from catalog.jobs j
      where i.id = ${itemId} and i.organization_id = ${scope.organizationId} and j.id = i.job_id
        and (i.status = 'processing' or (i.status = 'pending' and j.status = 'processing' and not j.paused))
      returning (select b.status from catalog.job_items b where b.id = i.id) as before`,
  );
  if (!taken) return undefined;
  const paid = await moveCredits(scope, { amount: -price, reason, reference: `item:${itemId}` });
  if (paid && taken.before === 'pending' && job.maxCredits !== null) await spend(scope, job.id, price);
  return paid ? 'paid' : 'unpaid';
}

/** Complete an item: its result, the counters and the log in one transaction that runs to its end once. */
async function finishItem(scope: Scope, { id, jobId }: JobItem, cost: number, { item, apply }: Outcome): Promise<void> {
  await transaction(scope, async (inner) => {
    const ended = await endItem(inner, id, { ...item, status: 'completed', cost });
    if (!ended) return;
    await apply?.(inner);
    await countItem(inner, { id, jobId }, 'success');
  });
}

/**
 * Fail an item and give back what it cost.
 * @param summary said on the whole job, when the reason concerns all of it
 */
export async function failItem(scope: Scope, itemId: string, message: string, summary?: string): Promise<void> {
  await transaction(scope, async (inner) => {
    const ended = await endItem(inner, itemId, { status: 'failed', errorMessage: message, cost: 0 });
    if (!ended) return;
    const { jobId } = await inner.em.findOneOrFail(JobItem, itemId, { fields: ['jobId'] });
    const refunded = await refundItems(inner, [itemId]);
    await countItem(inner, { id: itemId, jobId }, 'failed', { summary, refunded });
  });
}

/** Whether the item was open until now: only then is anything counted. */
async function endItem({ em }: Scope, id: string, ending: Outcome['item'] & Partial<JobItem>): Promise<boolean> {
  const open = { id, status: { $in: ['pending', 'processing'] } } as const;
  return (await em.nativeUpdate(JobItem, open, { ...ending, completedAt: new Date() })) > 0;
}

/** The job's row comes last in every transaction: items wait for each other only while it is counted. */
async function countItem(
  { em }: Scope,
  { id, jobId }: { id: string; jobId: string },
  result: 'success' | 'failed',
  { summary = null, refunded = 0 }: { summary?: string | null; refunded?: number } = {},
) {
  const success = result === 'success' ? 1 : 0;
  await query(
    em,
    sql`with counted as (
          update catalog.jobs set processed_count = processed_count + 1, success_count = success_count + ${success}::int,
                 failed_count = failed_count + ${1 - success}::int, sequence = sequence + 1, error_summary = coalesce(error_summary, ${summary}),
                 spent = greatest(0, spent - ${refunded}::numeric), paused = paused or (status = 'processing' and coalesce(
                   processed_count >= ${TOO_EARLY}::int and (failed_count + ${1 - success}::int)::float8 / (processed_count + 1) > max_error_rate, false))
           where id = ${jobId} returning *)
        insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count, item_ids)
        select id, sequence, status, processed_count, success_count, failed_count, array[${id}::uuid] from counted`,
  );
}

/** End a job that has no open items, and say how it ended, or that it is paused. A stopped job stays stopped; one that ended before stays as it is. */
export async function finish(scope: Scope, jobId: string): Promise<string> {
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    const [ended] = await query(
      em,
      sql<{
        kind: Job['kind'];
        status: string;
        at: string;
      }>`update catalog.jobs set status = case when failed_count > 0 then 'completed_with_errors' else 'completed' end,
                 completed_at = now(), paused = false, sequence = sequence + 1
           where id = ${jobId} and organization_id = ${organizationId} and status in ('pending', 'processing')
             and not exists (select 1 from catalog.job_items where job_id = ${jobId} and status in ('pending', 'processing')) returning kind, status, completed_at as at`,
    );
    if (!ended) return pauseJob(inner, jobId, 'sample');
    await appendChange(em, jobId);
    await emitEnd(inner, ended.kind, { id: jobId, status: ended.status, completedAt: new Date(ended.at) });
  });
  const job = await scope.em.findOne(Job, jobId);
  return job?.paused ? 'paused' : (job?.status ?? 'deleted');
}
