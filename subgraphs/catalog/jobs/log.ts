import { clock } from '../../common/clock.ts';
import { type Bind, readRows } from '../../common/lists/rows.ts';
import { type ChangeLog, PAGE_SIZE } from '../../common/progress/change-log.ts';
import type { Scope } from '../../common/scope.ts';
import { Job, JobChange } from './entity.ts';
import type { JobUpdate } from './types.ts';

const ENDED = new Set<string>(['completed', 'completed_with_errors', 'failed', 'stopped']);
const isEnded = (status: string): boolean => ENDED.has(status);

/**
 * One page of the changes after `after`, up to and including `upTo`, in order. When all of them have expired, the current state of the job
 * takes their place.
 */
async function readChanges(scope: Scope, jobId: string, after: number, upTo?: number): Promise<JobChange[]> {
  const rows = {
    where: { jobId },
    matching: (bind: Bind) => `r.sequence > ${bind(after)}${upTo === undefined ? '' : ` and r.sequence <= ${bind(upTo)}`}`,
    orderBy: { sequence: 'asc' },
  } as const;
  const changes = await readRows(scope, JobChange, rows, { limit: PAGE_SIZE, offset: 0 });
  return changes.length > 0 ? changes : readExpired(scope, jobId, after);
}

/** The job as a change, if its log has no change after `after`. One statement, because the job may change meanwhile. */
async function readExpired(scope: Scope, jobId: string, after: number): Promise<JobChange[]> {
  const jobs = await readRows(scope, Job, {
    where: { id: jobId },
    matching: (bind) => {
      const seen = bind(after);
      return `r.sequence > ${seen} and not exists (select from catalog.job_changes c where c.job_id = r.id and c.sequence > ${seen})`;
    },
  });
  return jobs.map(({ id, sequence, status, processedCount, successCount, failedCount, completedAt }) => ({
    ...{ jobId: id, sequence, status, processedCount, successCount, failedCount },
    ...{ itemIds: [], at: completedAt ?? clock.now() },
  }));
}

/** Other processes may have watched the job already. */
const WATCH = `
  update catalog.jobs set watched_until = now() + interval '15 minutes'
   where id = $1 and coalesce(watched_until < now() + interval '10 minutes', true)`;

const ID_COLUMN = ['id'] as const;

/**
 * Whether no change will follow `seen`. Running items of a stopped job may still complete. One statement, because they may complete
 * between two.
 */
async function hasEnded(scope: Scope, jobId: string, seen: number): Promise<boolean> {
  const open = await readRows(scope, Job, {
    columns: ID_COLUMN,
    where: { id: jobId },
    matching: (bind) => `(r.status <> all(${bind([...ENDED])}::text[]) or r.sequence > ${bind(seen)}
      or exists (select from catalog.job_items i where i.job_id = r.id and i.status = 'processing'))`,
    isPrepared: true,
  });
  return open.length === 0;
}

/** Merges consecutive changes into updates. A change of status starts a new update. */
function* mergeChanges(changes: JobChange[]): Generator<JobUpdate> {
  let update: JobUpdate | undefined;
  for (const { itemIds, ...change } of changes) {
    if (update && update.status !== change.status) {
      yield update;
      update = undefined;
    }
    update = { ...change, itemIds: [...(update?.itemIds ?? []), ...itemIds] };
  }
  if (update) yield update;
}

/** The changes of jobs. */
export const jobLog: ChangeLog<JobChange, JobUpdate> = {
  channel: 'job_changes',
  async watch({ services }, jobId) {
    await services.pool.query(WATCH, [jobId]);
  },
  read: readChanges,
  merge: mergeChanges,
  isEnded,
  hasEnded,
};
