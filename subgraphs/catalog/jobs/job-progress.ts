import type { EventStream } from 'compiled-gateway/event-stream';
import { type Bind, clock, query, readById, readRows, sql } from '../../../platform/database/index.ts';
import { type ChangeLog, followChanges, PAGE_SIZE, withRetry } from '../../../platform/progress/index.ts';
import { detached, type RequestScope, type Scope } from '../../../platform/scope/index.ts';
import { Job, JobChange, JobItem, type JobUpdate } from './entity.ts';

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

const ENDED = new Set<string>(['completed', 'completed_with_errors', 'failed', 'stopped']);
const isEnded = (status: string): boolean => ENDED.has(status);

/** One page of the changes after `after`, up to and including `upTo`, in order. */
function readChanges(scope: Scope, jobId: string, after: number, upTo?: number): Promise<JobChange[]> {
  const rows = {
    where: { jobId },
    matching: (bind: Bind) => `r.sequence > ${bind(after)}${upTo === undefined ? '' : ` and r.sequence <= ${bind(upTo)}`}`,
    orderBy: { sequence: 'asc' },
  } as const;
  return readRows(scope, JobChange, rows, { limit: PAGE_SIZE, offset: 0 });
}

/** The numbers of a job have no gaps, so a missing next change has expired, and earlier ones may have, too. */
async function retainsChanges(scope: Scope, jobId: string, after: number): Promise<boolean> {
  const next = { columns: ['sequence'], where: { jobId, sequence: after + 1 } } as const;
  return (await readRows(scope, JobChange, next, { limit: 1, offset: 0 })).length > 0;
}

/** The columns of a job that its snapshot shows. */
const STATE_COLUMNS = ['id', 'sequence', 'status', 'processedCount', 'successCount', 'failedCount', 'completedAt'] as const;

const ORDINAL_COLUMNS = ['id', 'ordinal'] as const;

/**
 * The state of a job as updates. With `withItems` they also contain each item that has ended, in pages. A subscriber that resumes after any
 * page but the last starts again, and only the last page ends the job.
 */
async function* snapshotOf(
  scope: Scope,
  { id, completedAt, ...job }: Pick<Job, (typeof STATE_COLUMNS)[number]>,
  withItems: boolean,
): AsyncGenerator<JobUpdate, void, void> {
  const state = { ...job, jobId: id, at: completedAt ?? clock.now(), isSnapshot: true };
  const readPage = (last: number) =>
    readRows(
      scope,
      JobItem,
      {
        columns: ORDINAL_COLUMNS,
        where: { jobId: id, status: ['completed', 'failed'] },
        // An item that has ended since the state was read belongs to a later change, which the subscriber receives, too.
        matching: (bind) => `r.ordinal > ${bind(last)} and r.id <> all(array(
          select unnest(c.item_ids) from catalog.job_changes c where c.job_id = ${bind(id)}::uuid and c.sequence > ${bind(job.sequence)}))`,
        orderBy: { ordinal: 'asc' },
      },
      { limit: PAGE_SIZE, offset: 0 },
    );
  for (let last: number | undefined = -1; last !== undefined; ) {
    const from: number = last;
    const items: Pick<JobItem, 'id' | 'ordinal'>[] = withItems ? await withRetry(() => readPage(from)) : [];
    last = items.length === PAGE_SIZE ? items.at(-1)!.ordinal : undefined;
    const unfinished = last !== undefined && { sequence: 0, status: 'processing' as const };
    yield { ...state, ...unfinished, itemIds: items.map((item) => item.id) };
  }
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
    update = { ...change, isSnapshot: false, itemIds: [...(update?.itemIds ?? []), ...itemIds] };
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
  retains: retainsChanges,
  merge: mergeChanges,
  isEnded,
  hasEnded,
};

/**
 * Appends the current state of a job to its log, which notifies subscribers on commit. The caller must have incremented `sequence` in
 * the same transaction.
 */
export async function appendChange(em: Scope['em'], jobId: string, itemIds: string[] = []): Promise<void> {
  await query(
    em,
    sql`insert into catalog.job_changes (job_id, sequence, status, processed_count, success_count, failed_count, item_ids)
        select id, sequence, status, processed_count, success_count, failed_count, ${itemIds}::uuid[] from catalog.jobs where id = ${jobId}`,
  );
}

const cache = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Caches the result of `read` per object and name, and retries after a failure. `read` receives a detached scope, so that the
 * cancellation of one caller does not affect the others.
 */
export function readOnce<T>(scope: Scope, of: object, name: string, read: (scope: Scope) => Promise<T>): Promise<T> {
  const known = cache.get(of) ?? new Map<string, Promise<unknown>>();
  cache.set(of, known);
  const reading = (known.get(name) as Promise<T> | undefined) ?? read(detached(scope));
  known.set(name, reading);
  reading.catch(() => known.delete(name));
  return reading;
}
