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
