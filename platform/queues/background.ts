import { setTimeout as sleep } from 'node:timers/promises';
import { forbidInTransaction } from '../database/index.ts';
import { RecentUse } from '../reading/index.ts';
import { log } from '../telemetry/index.ts';

/** Runs work that outlives its request, such as the reply to a chat message, until the process shuts down. */
export class BackgroundTasks {
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  /** Aborts when the process shuts down. Tasks must then store their state and end. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Start a task. Its failure is only logged, so tasks handle their own errors. */
  start(name: string, work: (signal: AbortSignal) => Promise<void>): void {
    const running = work(this.signal)
      .catch((error: unknown) => log.error({ err: error }, `${name} failed`))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Wait until no task runs. At the timeout, abort those that do and wait for their end, while clients can still read it. */
  async drain(timeoutMs: number): Promise<void> {
    const timeout = new AbortController();
    const deadline = sleep(timeoutMs, true, { ref: false, signal: timeout.signal }).catch(() => true);
    let isLate = false;
    while (this.#running.size > 0 && !isLate) isLate = await Promise.race([deadline, Promise.all(this.#running).then(() => false)]);
    timeout.abort();
    if (isLate) await this.close();
  }

  /** Abort all tasks, and wait until they have ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The process shuts down'));
    await Promise.all(this.#running);
  }
}

/**
 * Stops a named part of a process. May resolve before the part has stopped, if that takes too long.
 * @param milliseconds the maximum wait; by default a second
 */
export type Stop = (part: string, work: () => unknown, milliseconds?: number) => Promise<void>;

/** Stops a part however long it takes, and rejects if that fails. */
export const stopFully: Stop = async (_part, work) => {
  await work();
};

/**
 * Aborts its signal after a time, or together with another signal. Call `end` when the work is done. `AbortSignal.timeout` would retain
 * the references of its listeners until the time is over. A worker would then hold the memory of all calls of the last minutes.
 */
export class Deadline {
  /** Whether the time is over. */
  hasPassed = false;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #other: AbortSignal | undefined;

  constructor(milliseconds: number, other?: AbortSignal) {
    this.#timer = setTimeout(() => this.#pass(), milliseconds).unref();
    this.#other = other;
    if (other?.aborted) this.handleEvent();
    else other?.addEventListener('abort', this);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Handles the abort event of the other signal. */
  handleEvent(): void {
    this.end();
    this.#controller.abort(this.#other!.reason);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#other?.removeEventListener('abort', this);
  }

  #pass(): void {
    this.end();
    this.hasPassed = true;
    this.#controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }
}

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
