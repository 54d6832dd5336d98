import type { EventStream } from 'compiled-gateway/event-stream';
import { readById } from '../../../platform/database/index.ts';
import { followChanges } from '../../../platform/progress/index.ts';
import { detached, type RequestScope } from '../../../platform/scope/index.ts';
import { Job } from './entity.ts';
import { jobLog, STATE_COLUMNS, snapshotOf } from './log.ts';
import type { JobUpdate } from './types.ts';

/**
 * Streams all changes of a job after the given one, in order, until the job and its items have ended. A subscriber that cannot resume first
 * receives the current state.
 * @param withItems whether that state contains the items that have ended
 */
export async function followJob(
  scope: RequestScope,
  jobId: string,
  after: number | null | undefined,
  withItems: boolean,
): Promise<EventStream<JobUpdate>> {
  const job = await readById(scope, Job, jobId, 'Job', { columns: STATE_COLUMNS });
  const { id, sequence } = job;
  // Callers may write the id in upper case, unlike notifications.
  return followChanges(jobLog, scope, { id, sequence, after, snapshot: () => snapshotOf(detached(scope), job, withItems) });
}
