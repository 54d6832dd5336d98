import type { Pool } from 'pg';
import { movement } from '../../../platform/credits/index.ts';
import { query, queryPrepared, readRows, SizedCache, sql, storageRefusal } from '../../../platform/database/index.ts';
import { type Scope, transaction } from '../../../platform/scope/index.ts';
import { creditsSpent, jobItemSeconds, jobItems, jobsEnded, log } from '../../../platform/telemetry/index.ts';
import { storable } from '../../../schema/text.ts';
import { Job, JobItem } from './entity.ts';
import { completeItem, countItems, endItems, refundItems } from './item-completion.ts';
import {
  creditsFor,
  emitEnd,
  emitStart,
  ItemFailure,
  ItemMemory,
  itemCharge,
  kindOf,
  type Price,
  type WorkScope,
} from './job-kind.ts';
import { appendChange } from './job-progress.ts';
import { CeilingReached, failJob, pauseAfterSample, pauseAtCeiling, spend } from './stop.ts';

const OUT_OF_CREDITS = 'Credit balance limit has been reached.';

interface BegunJob {
  /** Items that run at the same time, for an adaptive kind up to a first limit. */
  concurrency: number;
  adaptive?: true;
  tier: Job['modelType'];
  /** Whether items remain to be processed. */
  open: boolean;
}

/**
 * Starts a pending job, or fails it if its check fails. Undefined if the job has been deleted. A stopped job stays open, because it may
 * have running items to complete.
 */
export async function begin(scope: Scope, jobId: string): Promise<BegunJob | undefined> {
  await startJob(scope, jobId);
  const job = await scope.em.findOne(Job, jobId);
  if (!job) return undefined;
  const { concurrency, adaptive } = kindOf(job.kind);
  const begun = { concurrency, adaptive, tier: job.modelType };
  if (job.status === 'stopped') return { ...begun, open: true };
  return { ...begun, open: job.status === 'processing' && !job.paused && (await passesCheck(scope, job)) };
}

async function startJob(scope: Scope, jobId: string): Promise<void> {
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

/** Runs the check of the kind and fails the job if it does not pass. */
async function passesCheck(scope: Scope, job: Job): Promise<boolean> {
  try {
    await kindOf(job.kind).check?.(scope, job);
    return true;
  } catch (error) {
    if (!(error instanceof ItemFailure)) throw error;
    await transaction(scope, (inner) => failJob(inner, job, error.message));
    jobsEnded.inc({ kind: job.kind, status: 'failed' });
    return false;
  }
}

/** The next open items, in processing order. */
export async function openItems({ em, organizationId }: Scope, jobId: string, after: number, limit: number) {
  return query(
    em,
    sql<{
      id: string;
      turn: number;
      phase: number;
      name: string;
    }>`select i.id, i.turn, i.phase, left(coalesce(p.sku, i.label, f.name || ' page ' || i.file_page, 'item ' || i.ordinal + 1), 100) as name
       from catalog.job_items i join catalog.jobs j on j.id = i.job_id
       left join catalog.products p on p.id = i.product_id left join catalog.files f on f.id = i.file_id
       where i.job_id = ${jobId} and i.organization_id = ${organizationId} and i.turn > ${after} and i.status in ('pending', 'processing')
         and (i.status = 'processing' or not j.paused and i.turn < coalesce(j.open_until, i.turn + 1))
       order by i.turn limit ${limit}`,
  );
}

/** Processes one item. Idempotent: a retry neither repeats a completed item nor charges twice. */
export async function processItem(scope: Omit<WorkScope, 'memory'>, itemId: string): Promise<void> {
  const started = await startItem(scope, itemId);
  if (!started) return;
  const { job, item, price } = started;
  const memory = new ItemMemory(scope.organizationId, scope.signal);
  const end = jobItemSeconds.startTimer({ kind: job.kind });
  try {
    const outcome = await kindOf(job.kind).process({ ...scope, memory }, job, item);
    if (!(await completeItem(scope, job, { item, cost: price, outcome }))) return;
    jobItems.inc({ kind: job.kind, outcome: 'completed' });
    creditsSpent.inc({ kind: job.kind }, price);
  } catch (error) {
    const failure = error instanceof ItemFailure ? error : storageRefusal(error);
    if (!failure) throw error;
    await failItem(scope, item.id, failure.message, { wasRead: error instanceof ItemFailure });
  } finally {
    memory.release();
    end();
  }
}

interface StartedItem {
  job: Job;
  item: JobItem;
  price: number;
}

/** Marks an item as running and charges it. Undefined if the item has ended or its job was stopped or paused. */
async function startItem(scope: Scope, itemId: string): Promise<StartedItem | undefined> {
  const [item] = await readRows(scope, JobItem, { where: { id: itemId } });
  const job = item && (await settingsOf(scope, item.jobId));
  if (!item || !job) return undefined;
  const charge = (within: Scope) => chargeItem(within, item, job);
  const taken = await (job.maxCredits === null ? charge(scope) : transaction(scope, charge)).catch((error: unknown) =>
    error instanceof CeilingReached ? pauseAtCeiling(scope, job.id, error.price) : Promise.reject(error),
  );
  if (taken?.paid === false) await failItem(scope, itemId, OUT_OF_CREDITS, { summary: OUT_OF_CREDITS });
  if (!taken?.paid) return undefined;
  item.asParent = taken.asParent;
  return { job, item, price: taken.price };
}

const settings = new SizedCache<string, Job>(4 * 1024 * 1024);

/** The row of a job, of which items use only what never changes, and limits that the database checks again. */
async function settingsOf(scope: Scope, jobId: string): Promise<Job | undefined> {
  const known = settings.get(jobId);
  if (known) return known;
  const [job] = await readRows(scope, Job, { where: { id: jobId } });
  if (job) settings.set(jobId, job, 2 * JSON.stringify(job).length);
  return job;
}

interface Charged {
  paid: boolean;
  asParent: boolean;
  price: number;
}

/**
 * Decides once whether the item is the work of a parent, and charges its price. Later attempts do the same work, also if the product has
 * changed. One statement, so that an item that fails concurrently is not charged after its refund. Its commit does not wait for the disk,
 * which would hold up the other items of the organization. A crash of PostgreSQL can lose it; `completeItem` then charges the item.
 */
async function chargeItem(scope: Scope, { id: itemId, withoutModel }: JobItem, job: Job): Promise<Charged | undefined> {
  const prices = withoutModel ? FREE : kindOf(job.kind).prices[job.modelType];
  const [full, parent] = [creditsFor(prices, job, false), creditsFor(prices, job, true)];
  const paid = (price: number) => (price === 0 ? sql`true` : movement(scope, itemCharge(job.kind, itemId, price)));
  const [taken] = await queryPrepared(
    scope.em,
    // The subselect in `returning` sees the item as it was before the update.
    sql<{ before: string; paid: boolean; asParent: boolean }>`with taken as (
       update catalog.job_items i set status = 'processing', started_at = coalesce(i.started_at, now()),
              gap_inputs = case when i.gap_inputs is not null then catalog.gap_inputs(i.product_id) end,
              as_parent = coalesce(i.as_parent, ${prices.parent !== undefined}::boolean and coalesce((
                select p.is_parent from catalog.products p where p.id = i.product_id and p.organization_id = i.organization_id), false))
         from catalog.jobs j
        where i.id = ${itemId} and i.organization_id = ${scope.organizationId} and j.id = i.job_id
          and (i.status = 'processing' or (i.status = 'pending' and j.status = 'processing' and not j.paused))
        returning (select b.status from catalog.job_items b where b.id = i.id) as before, i.as_parent)
      select before, as_parent as "asParent", case when as_parent then ${paid(parent)} else ${paid(full)} end as paid,
             case when ${job.maxCredits === null} then set_config('synchronous_commit', 'off', true) end from taken`,
  );
  if (!taken) return undefined;
  const { before, paid: isPaid, asParent } = taken;
  const price = asParent ? parent : full;
  if (isPaid && before === 'pending' && job.maxCredits !== null) await spend(scope, job.id, price);
  return { paid: isPaid, asParent, price };
}

const FREE: Price = { item: 0 };

interface Failure {
  /** Error summary of the job, if the reason applies to all of it. */
  summary?: string;
  /** The fault is one of the item, and not of the provider, the credits or the storage. */
  wasRead?: boolean;
}

/** Fails an item and refunds its cost. */
export async function failItem(scope: Scope, itemId: string, message: string, { summary, wasRead }: Failure = {}): Promise<void> {
  const failedJob = await transaction(scope, async (inner) => {
    const ended = await endItems(inner, 'failed', [{ id: itemId, errorMessage: storable(message), cost: 0 }]);
    if (ended.size === 0) return undefined;
    const { jobId } = await inner.em.findOneOrFail(JobItem, itemId, { fields: ['jobId'] });
    const { kind } = await inner.em.findOneOrFail(Job, jobId, { fields: ['kind'] });
    const { failed } = kindOf(kind);
    if (failed) {
      const whole = { refresh: true };
      await failed(
        inner,
        await inner.em.findOneOrFail(Job, jobId, whole),
        await inner.em.findOneOrFail(JobItem, itemId, whole),
        message,
      );
    }
    if (!wasRead)
      await query(inner.em, sql`update catalog.job_items set gap_inputs = null where id = ${itemId} and gap_inputs is not null`);
    const refunded = await refundItems(inner, [itemId]);
    await countItems(inner, jobId, [itemId], { failed: 1, summary, refunded });
    return { jobId, kind };
  });
  if (!failedJob) return;
  jobItems.inc({ kind: failedJob.kind, outcome: 'failed' });
  log.info({ organizationId: scope.organizationId, ...failedJob, itemId, reason: message }, 'Item failed');
}

/** The error message that all failed items of a job share; null if they differ. */
const commonError = (jobId: string) => sql`(
  select min(error_message) from catalog.job_items where job_id = ${jobId} having min(error_message) = max(error_message))`;

/** Ends a job that has no open items. Returns its status, or `paused`. A job that has already ended stays unchanged. */
export async function finish(scope: Scope, jobId: string): Promise<string> {
  const finished = await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    const [ended] = await query(
      em,
      sql<{
        kind: Job['kind'];
        status: string;
        at: string;
      }>`update catalog.jobs set status = case when failed_count > 0 then 'completed_with_errors' else 'completed' end,
                 error_summary = case when success_count > 0 then error_summary else coalesce(error_summary, ${commonError(jobId)}) end,
                 completed_at = now(), paused = false, pause_reason = null, sequence = sequence + 1
           where id = ${jobId} and organization_id = ${organizationId} and status in ('pending', 'processing')
             and not exists (select 1 from catalog.job_items where job_id = ${jobId} and status in ('pending', 'processing'))
           returning kind, status, completed_at as at`,
    );
    if (!ended) return void (await pauseAfterSample(inner, jobId));
    await appendChange(em, jobId);
    await emitEnd(inner, ended.kind, { id: jobId, status: ended.status, completedAt: new Date(ended.at) });
    return ended;
  });
  if (finished) jobsEnded.inc({ kind: finished.kind, status: finished.status });
  const job = await scope.em.findOne(Job, jobId);
  return job?.paused ? 'paused' : (job?.status ?? 'deleted');
}

/** The result of a job, which operators see in the Temporal UI. */
export interface JobResult {
  status: string;
  total: number;
  succeeded: number;
  failed: number;
  /** The most frequent error messages. */
  errors: { message: string; items: number }[];
}

const MAX_ERRORS = 5;

/** The counts and errors of a job. All are zero for a deleted job. */
export async function readResult({ em, organizationId }: Scope, jobId: string): Promise<JobResult> {
  const [job] = await query(
    em,
    sql<
      Omit<JobResult, 'errors'>
    >`select status, total_count as total, success_count as succeeded, failed_count as failed from catalog.jobs
                                    where id = ${jobId} and organization_id = ${organizationId}`,
  );
  if (!job) return { status: 'deleted', total: 0, succeeded: 0, failed: 0, errors: [] };
  const errors = await query(
    em,
    sql<JobResult['errors'][number]>`select error_message as message, count(*)::int as items from catalog.job_items
                                      where job_id = ${jobId} and organization_id = ${organizationId} and status = 'failed'
                                      group by 1 order by 2 desc, 1 limit ${MAX_ERRORS}`,
  );
  return { ...job, errors };
}

interface OpenJobs {
  kind: string;
  status: 'pending' | 'processing';
  jobs: number;
  /** Items that have not ended. */
  items: number;
}

/** Jobs of all organizations that have not ended, and their open items, by kind and status. Paused jobs are not included. */
export async function readOpenJobs(pool: Pool): Promise<OpenJobs[]> {
  const { rows } = await pool.query<{ kind: string; status: OpenJobs['status']; jobs: string; items: string }>(
    `select kind, status, count(*) as jobs, sum(total_count - processed_count) as items from catalog.jobs
      where status in ('pending', 'processing') and not paused group by kind, status`,
  );
  return rows.map(({ jobs, items, ...of }) => ({ ...of, jobs: Number(jobs), items: Number(items) }));
}
