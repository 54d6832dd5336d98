import { query, sql } from '../../../platform/database/index.ts';
import { post } from '../../../platform/queues/index.ts';
import { fresh, type Scope, transaction } from '../../../platform/scope/index.ts';
import { jobsEnded } from '../../../platform/telemetry/index.ts';
import type { Word } from '../../../schema/words.ts';
import type { Job } from './entity.ts';
import { emitStop } from './events.ts';
import { kindOf } from './registry.ts';
import { findJob } from './service.ts';
import { terminateJob } from './termination.ts';

const STOPPED = 'Job was stopped by user';
/** Workers learn here of jobs whose running items have failed. */
export const STOP_CHANNEL = 'job_stops';

/**
 * Stops a job. Pending items fail at once, and so do running items unless the kind completes them. Throws `NOT_FOUND` for an unknown
 * job and `NOT_IN_PROGRESS` for one that has ended.
 */
export async function stopJob(scope: Scope, given: string, wanted?: Word<'JobKind'>): Promise<Job> {
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
