import { fail } from '../../../schema/errors.ts';
import { type EventStream, eventStream } from '../../../schema/event-stream.ts';
import { isId } from '../../common/ids.ts';
import { readRows } from '../../common/rows.ts';
import type { RequestScope } from '../../common/scope.ts';
import { Job } from './entity.ts';
import { feedOf } from './feed.ts';
import { Follower } from './follower.ts';
import type { JobUpdate } from './types.ts';

const STATE_COLUMNS = ['sequence'] as const;

/**
 * Streams all changes of a job after the given one, in order, until the job and its items have ended. Changes are read from the log in
 * the database, and notifications only trigger reads, so a lost notification loses no change.
 */
export async function followJob(scope: RequestScope, jobId: string, after: number): Promise<EventStream<JobUpdate>> {
  const [job] = isId(jobId) ? await readRows(scope, Job, { columns: STATE_COLUMNS, where: { id: jobId } }) : [];
  if (!job) throw fail('NOT_FOUND', 'Job not found');
  const follower = new Follower(feedOf(scope, jobId, job.sequence), after);
  const stream = eventStream(
    () => follower.next(),
    () => follower.leave(),
  );
  scope.request.signal?.addEventListener('abort', () => stream.end(), { once: true });
  return stream;
}
