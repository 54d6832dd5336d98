import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestScope, Scope } from '../../common/scope.ts';
import { Job, JobChange, JobItem } from './entity.ts';
import { findJob } from './service.ts';
import type { JobUpdate } from './types.ts';

const ENDED = new Set<string>(['completed', 'completed_with_errors', 'failed', 'stopped']);
/** At most ten updates a second for one subscriber: what happens in between is folded into the next. */
const BREATH = 100;
const PAGE = 500;

/**
 * Every change of a job after the given one, in order, until the job and its items are at their end. The log in the database
 * is what is read, a notification only says when: so nothing is missed, whichever process wrote it.
 */
export async function followJob(scope: RequestScope, jobId: string, after: number): Promise<AsyncIterable<JobUpdate>> {
  await findJob(scope, jobId);
  const left = new AbortController();
  const { signal } = scope.request;
  const updates = readOn(scope, jobId, after, signal ? AbortSignal.any([signal, left.signal]) : left.signal);
  const leave = updates.return.bind(updates);
  // A generator that waits cannot be returned from until it is woken.
  return Object.assign(updates, {
    return: () => {
      left.abort();
      return leave();
    },
  });
}

async function* readOn(
  scope: RequestScope,
  jobId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<JobUpdate, void, void> {
  const bell = new Bell(signal);
  const silence = scope.services.notifications.on('job_changes', (id) => void ((id === jobId || id === '') && bell.ring()));
  try {
    for (let seen = after; !signal.aborted; ) {
      bell.reset();
      const changes = await patiently(() => readChanges(scope, jobId, seen));
      for (const update of fold(changes)) {
        yield update;
        seen = update.sequence;
      }
      const status = changes.at(-1)?.status;
      if ((!status || ENDED.has(status)) && (await patiently(() => hasEnded(scope, jobId, seen)))) return;
      if (changes.length < PAGE) await Promise.all([sleep(BREATH), bell.rung()]);
    }
  } finally {
    silence();
  }
}

/** The database may be away for a moment; a subscriber need not notice. */
async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (tries === 20) throw error;
      await sleep(500);
    }
  }
}

/** Wakes its waiter when rung, also when it rang just before; and once a minute, should a notification be lost. */
class Bell {
  #wake = () => {};
  #rung = Promise.resolve();

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  reset(): void {
    this.#rung = new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  ring(): void {
    this.#wake();
  }

  async rung(): Promise<void> {
    if (this.signal.aborted) return;
    const timer = setTimeout(() => this.#wake(), 60_000);
    await this.#rung;
    clearTimeout(timer);
  }
}

const readChanges = ({ em }: Scope, jobId: string, after: number) =>
  em.fork().find(JobChange, { jobId, sequence: { $gt: after } }, { orderBy: { sequence: 'asc' }, limit: PAGE });

async function hasEnded({ em }: Scope, jobId: string, seen: number): Promise<boolean> {
  const job = await em.fork().findOneOrFail(Job, jobId);
  if (!ENDED.has(job.status) || job.sequence > seen) return false;
  // A stopped job still finishes what is in hand.
  return (await em.fork().count(JobItem, { jobId, status: 'processing' })) === 0;
}

/** Neighbouring changes become one update; each status the job had is shown. */
function* fold(changes: JobChange[]): Generator<JobUpdate> {
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
