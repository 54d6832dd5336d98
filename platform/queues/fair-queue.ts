import { forbidInTransaction } from '../database/index.ts';
import { RecentUse } from '../reading/index.ts';

interface Waiting {
  owner: string;
  enter(): void;
}

/** Owners whose recent work took as many of these milliseconds are equal. */
const STEP = 1_000;

/**
 * Limits concurrency globally, and to one per owner, so that an owner with much work leaves room for the others. The owner whose recent work
 * took the least seconds is next; among equals, the one that came first.
 */
export class FairQueue {
  readonly #use = new RecentUse();
  readonly #running = new Set<string>();
  readonly #waiting: Waiting[] = [];

  constructor(private readonly limit: number) {}

  /** Whether work of the owner runs or waits. */
  has(owner: string): boolean {
    return this.#running.has(owner) || this.#waiting.some((each) => each.owner === owner);
  }

  /** Runs `work` when the owner has a free slot. Rejects with the reason of the signal if it aborts first. */
  async run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    forbidInTransaction('A queue');
    await this.#enter(owner, signal);
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.#use.add(owner, performance.now() - begun);
      this.#running.delete(owner);
      this.#next();
    }
  }

  #enter(owner: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal?.reason);
      };
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { owner, enter };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiting);
      this.#next();
    });
  }

  #next(): void {
    if (this.#running.size >= this.limit) return;
    let [first, least]: [Waiting | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const each of this.#waiting) {
      if (this.#running.has(each.owner)) continue;
      const used = Math.floor(this.#use.of(each.owner) / STEP);
      if (used < least) [first, least] = [each, used];
    }
    if (!first) return;
    this.#waiting.splice(this.#waiting.indexOf(first), 1);
    this.#running.add(first.owner);
    first.enter();
  }
}
