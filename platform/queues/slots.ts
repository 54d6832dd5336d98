import { forbidInTransaction } from '../database/index.ts';
import { RecentUse } from '../reading/index.ts';

interface Queue {
  active: number;
  waiting: (() => void)[];
}

/** Limits concurrency per key. Callers wait in FIFO order. */
export class Slots {
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly width: number) {}

  /** Run `work` in a slot of this key. Throws the reason of the signal on abort while waiting. */
  async run<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const release = await this.take(key, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Take a slot of this key. Returns a function that releases it; repeated calls have no effect. */
  async take(key: string, signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    const queue = this.#queues.get(key) ?? { active: 0, waiting: [] };
    this.#queues.set(key, queue);
    if (queue.active < this.width) queue.active += 1;
    else await wait(queue, signal);
    let isTaken = true;
    return () => {
      if (isTaken) this.#release(key, queue);
      isTaken = false;
    };
  }

  /** Pass the slot to the next waiting caller. */
  #release(key: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next) next();
    else {
      queue.active -= 1;
      if (queue.active === 0) this.#queues.delete(key);
    }
  }
}

function wait({ waiting }: Queue, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const abort = () => {
      waiting.splice(waiting.indexOf(enter), 1);
      reject(signal!.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    waiting.push(enter);
  });
}

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
