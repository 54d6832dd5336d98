import { setTimeout as sleep } from 'node:timers/promises';
import { readRows } from '../../common/rows.ts';
import type { Scope } from '../../common/scope.ts';
import { Job, JobChange } from './entity.ts';
import { JobItem } from './item-entity.ts';
import type { JobUpdate } from './types.ts';

export type { JobChange };

const ENDED = new Set<string>(['completed', 'completed_with_errors', 'failed', 'stopped']);
export const isEnded = (status: string): boolean => ENDED.has(status);

/** Changes that are read at once. */
export const PAGE = 500;

/** What was written to the log of a job behind a change, and up to another; in order, a page of it. */
export const readChanges = (scope: Scope, jobId: string, after: number, upTo?: number): Promise<JobChange[]> =>
  readRows(
    scope,
    JobChange,
    {
      where: { jobId },
      matching: (bind) => `r.sequence > ${bind(after)}${upTo === undefined ? '' : ` and r.sequence <= ${bind(upTo)}`}`,
      orderBy: { sequence: 'asc' },
    },
    { limit: PAGE, offset: 0 },
  );

const STATE = ['status', 'sequence'] as const;
const NUMBER = ['id'] as const;

/** Whether nothing will come behind this change. */
export async function hasEnded(scope: Scope, jobId: string, seen: number): Promise<boolean> {
  const [job] = await readRows(scope, Job, { columns: STATE, where: { id: jobId } });
  if (!job) return true;
  if (!isEnded(job.status) || job.sequence > seen) return false;
  // A stopped job still finishes what is in hand.
  const inHand = { columns: NUMBER, where: { jobId, status: 'processing' } } as const;
  return (await readRows(scope, JobItem, inHand, { limit: 1, offset: 0 })).length === 0;
}

/** Neighbouring changes become one update; each status the job had is shown. */
export function* fold(changes: JobChange[]): Generator<JobUpdate> {
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

/** The database may be away for a moment; a subscriber need not notice. */
export async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (tries === 60) throw error;
      await sleep(1_000);
    }
  }
}
