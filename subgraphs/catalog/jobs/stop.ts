import type { RawBuilder } from 'kysely';
import { query, sql } from '../../../platform/database/index.ts';
import { post } from '../../../platform/queues/index.ts';
import { fresh, type Scope, transaction } from '../../../platform/scope/index.ts';
import { jobsEnded } from '../../../platform/telemetry/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import type { Job, JobItem } from './entity.ts';
import { refundItems } from './item-completion.ts';
import { emitEnd, emitStop, kindOf } from './job-kind.ts';
import { appendChange } from './job-progress.ts';
import { findJob } from './service.ts';

const STOPPED = 'Job was stopped by user';
/** Workers learn here of jobs whose running items have failed. */
export const STOP_CHANNEL = 'job_stops';

/**
 * Stops a job. Pending items fail at once, and so do running items unless the kind completes them. Throws `NOT_FOUND` for an unknown
 * job and `NOT_IN_PROGRESS` for one that has ended.
 */
export async function stopJob(scope: Scope, given: string, wanted?: EnumValue<'JobKind'>): Promise<Job> {
  const { id, kind, organizationId } = await findJob(scope, given, wanted);
  const { completesRunningItems } = kindOf(kind);
  const items = completesRunningItems ? (['pending'] as const) : (['pending', 'processing'] as const);
  await transaction(scope, async (inner) => {
    const at = await terminateJob(inner, id, { status: 'stopped', message: STOPPED, items: [...items] });
    await emitStop(inner, kind, id, at);
    await post(inner, 'job.stop', { kind, jobId: id, organizationId });
    if (!completesRunningItems) await query(inner.em, sql`select pg_notify(${STOP_CHANNEL}, ${id})`);
  });
  jobsEnded.inc({ kind, status: 'stopped' });
  return findJob(fresh(scope), id);
}

interface Termination {
  status: 'stopped' | 'failed';
  /** Error message of every item that fails with the job. */
  message: string;
  /** Statuses of the items that fail: pending ones, and possibly running ones. */
  items: JobItem['status'][];
  summary?: string;
}

/**
 * Ends a job that still has open items, in the transaction of the scope. Throws `NOT_IN_PROGRESS`.
 * @returns the time of completion
 */
async function terminateJob(scope: Scope, jobId: string, { status, message, items, summary }: Termination): Promise<Date> {
  const { em, organizationId } = scope;
  // Lock items before their job, as every transaction does, to prevent deadlocks.
  const failed = await query(
    em,
    sql<{ id: string; before: string }>`with open as (
          select id, status from catalog.job_items
           where job_id = ${jobId} and organization_id = ${organizationId} and status = any(${items}) order by turn for update),
        failed as (
          update catalog.job_items i set status = 'failed', error_message = ${message}, completed_at = now(), gap_inputs = null from open where open.id = i.id)
        select id, status as before from open`,
  );
  const running = failed.filter(({ before }) => before === 'processing');
  if (running.length > 0)
    await refundItems(
      scope,
      running.map(({ id }) => id),
    );
  const [ended] = await query(
    em,
    sql<{
      at: string;
    }>`update catalog.jobs set status = ${status}, paused = false, pause_reason = null, completed_at = now(), sequence = sequence + 1,
                               error_summary = coalesce(error_summary, ${summary ?? null}),
                               processed_count = processed_count + ${failed.length}::int, failed_count = failed_count + ${failed.length}::int
                         where id = ${jobId} and organization_id = ${organizationId} and status in ('pending', 'processing') returning completed_at as at`,
  );
  if (!ended) throw fail('NOT_IN_PROGRESS', 'Job cannot be stopped because it is not in progress');
  await appendChange(
    em,
    jobId,
    failed.map(({ id }) => id),
  );
  return new Date(ended.at);
}

/** Fails a job together with its open items, in the transaction of the scope. */
export async function failJob(scope: Scope, { id, kind }: Job, message: string): Promise<void> {
  const completedAt = await terminateJob(scope, id, {
    status: 'failed',
    message,
    items: ['pending', 'processing'],
    summary: message,
  });
  await emitEnd(scope, kind, { id, status: 'failed', completedAt });
}

/** The next item would exceed the credit limit of the job. Thrown to roll back its transaction. */
export class CeilingReached extends Error {
  override name = 'CeilingReached';

  constructor(readonly price: number) {
    super();
  }
}

/** Counts credits against the limit of a job. Throws `CeilingReached`. */
export async function spend({ em }: Scope, jobId: string, price: number): Promise<void> {
  const within = await query(
    em,
    sql`update catalog.jobs set spent = spent + ${price}::numeric
         where id = ${jobId} and (max_credits is null or spent + ${price}::numeric <= max_credits) returning id`,
  );
  if (within.length === 0) throw new CeilingReached(price);
}

/** Pauses a job if an item of this price would exceed its credits. A user may have lifted the limit since the item was refused. */
export const pauseAtCeiling = (scope: Scope, jobId: string, price: number) =>
  pauseIf(scope, jobId, 'credits', sql<boolean>`spent + ${price}::numeric > max_credits`);

/** Pauses a job whose sample has ended. A user who continues a job in the middle of its sample leaves items of the sample open. */
export const pauseAfterSample = (scope: Scope, jobId: string) =>
  pauseIf(
    scope,
    jobId,
    'sample',
    sql<boolean>`open_until is not null and not exists (
      select 1 from catalog.job_items where job_id = ${jobId} and turn < open_until and status in ('pending', 'processing'))`,
  );

/** Pauses a running job under a condition on its row. Otherwise the job stays unchanged. */
async function pauseIf(
  scope: Scope,
  jobId: string,
  reason: 'credits' | 'sample',
  condition: RawBuilder<boolean>,
): Promise<undefined> {
  await transaction(scope, async ({ em, organizationId }) => {
    const paused = await query(
      em,
      sql`update catalog.jobs set paused = true, pause_reason = ${reason}, sequence = sequence + 1
           where id = ${jobId} and organization_id = ${organizationId} and status = 'processing' and not paused and (${condition})
          returning id`,
    );
    if (paused.length > 0) await appendChange(em, jobId);
  });
}

/**
 * Pauses a job on request: running items complete and no further items start. Throws `NOT_FOUND`, `NOT_IN_PROGRESS` for a job that has
 * ended, and `UNPROCESSABLE` for one that is paused already.
 */
export async function pauseJob(scope: Scope, given: string): Promise<Job> {
  const { id, kind, organizationId } = await findJob(scope, given);
  await transaction(scope, async (inner) => {
    const { em } = inner;
    const paused = await query(
      em,
      sql`update catalog.jobs set paused = true, pause_reason = 'user', sequence = sequence + 1
           where id = ${id} and organization_id = ${organizationId} and status in ('pending', 'processing') and not paused returning id`,
    );
    if (paused.length === 0) throw await refusalOf(inner, id);
    await appendChange(em, id);
    await post(inner, 'job.pause', { kind, jobId: id, organizationId });
  });
  return findJob(fresh(scope), id);
}

async function refusalOf(scope: Scope, id: string): Promise<Error> {
  const { paused } = await findJob(fresh(scope), id);
  return paused
    ? fail('UNPROCESSABLE', 'Job cannot be paused because it is already paused')
    : fail('NOT_IN_PROGRESS', 'Job cannot be paused because it is not in progress');
}

/**
 * Resumes a paused job. Its limits stay in force if a user paused it, and end otherwise. Throws `NOT_FOUND`, and `UNPROCESSABLE` if the
 * job is not paused.
 */
export async function continueJob(scope: Scope, given: string): Promise<Job> {
  const { id } = await findJob(scope, given);
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    const isUserPause = sql`pause_reason is not distinct from 'user'`;
    const [continued] = await query(
      em,
      sql<{
        kind: string;
      }>`update catalog.jobs set paused = false, pause_reason = null, sequence = sequence + 1,
                                 open_until = case when ${isUserPause} then open_until end, max_credits = case when ${isUserPause} then max_credits end,
                                 max_error_rate = case when ${isUserPause} then max_error_rate end,
                                 min_confidence = case when ${isUserPause} then min_confidence end
                           where id = ${id} and organization_id = ${organizationId} and status in ('pending', 'processing') and paused
                          returning kind`,
    );
    if (!continued) throw fail('UNPROCESSABLE', 'Job cannot be continued because it is not paused');
    await appendChange(em, id);
    await post(inner, 'job.start', { kind: continued.kind, jobId: id, organizationId });
  });
  return findJob(fresh(scope), id);
}
