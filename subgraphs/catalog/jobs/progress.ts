import type { EventStream } from '../../../schema/event-stream.ts';
import { readById } from '../../common/find.ts';
import { followChanges } from '../../common/progress/follower.ts';
import type { RequestScope } from '../../common/scope.ts';
import { Job } from './entity.ts';
import { jobLog } from './log.ts';
import type { JobUpdate } from './types.ts';

const STATE_COLUMNS = ['id', 'sequence'] as const;

/** Streams all changes of a job after the given one, in order, until the job and its items have ended. */
export async function followJob(scope: RequestScope, jobId: string, after: number): Promise<EventStream<JobUpdate>> {
  const job = await readById(scope, Job, jobId, 'Job', { columns: STATE_COLUMNS });
  // Callers may write the id in upper case, unlike notifications.
  return followChanges(jobLog, scope, { ...job, after });
}
