import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { log } from '../telemetry/index.ts';
import { ContentFault } from './task.ts';
import type { Order, TaskOutcome, ThreadData } from './thread.ts';

interface LaneLimits {
  threads: number;
  /** Milliseconds of processor time of the first attempt of a task. Longer tasks run again, beside at most one other of their kind. Default: no such limit. */
  sliceMs?: number;
  /** Milliseconds of processor time of a task, because a busy machine makes every task slow. */
  cpuMs: number;
  /** Milliseconds of a task in total. */
  totalMs: number;
  /** Milliseconds that a task may wait for a thread. */
  waitMs: number;
  /** Limit of the memory of a task, unless `RunOptions` has one. */
  megabytes?: number;
  heapMb: number;
}

export interface RunOptions {
  signal?: AbortSignal;
  /** Buffers of the input that are moved to the thread. */
  transfer?: ArrayBuffer[];
  /** Replace the limits of the lane. */
  megabytes?: number;
  cpuMs?: number;
  waitMs?: number;
}

interface Job {
  owner: string;
  order: Order;
  options: RunOptions;
  isLong: boolean;
  timer?: NodeJS.Timeout;
  settle(outcome: Error | { result: unknown }): void;
}

/** The only part of a task that the pool passes on when it chooses a thread. */
interface Watched {
  [key: symbol]: { watch(thread: Worker): void };
}

/** Waiting tasks of one owner. */
const MAX_WAITING = 200;
const [START_TIME, IDLE_TIME, CHECK_INTERVAL, MB] = [30_000, 60_000, 50, 1024 * 1024];

/** Threads that share their time fairly among owners. */
export class Lane {
  readonly #modules: string[] = [];
  readonly #usage = new RecentUse();
  /** Waiting tasks by owner, in order of arrival. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #running = new Map<string, Job>();
  readonly #ready = new Set<number>();
  #threads?: Piscina<Order, TaskOutcome>;

  constructor(
    private readonly name: string,
    private readonly limits: LaneLimits,
  ) {}

  /** Load a module in each thread that starts from now on. */
  preload(module: string): void {
    this.#modules.push(module);
  }

  /** Resolves with the result of the task. Rejects with `ContentFault` or the reason of the signal, as an error. */
  async run(owner: string, order: Order, options: RunOptions): Promise<unknown> {
    const { signal } = options;
    signal?.throwIfAborted();
    const jobs = this.#waiting.get(owner) ?? [];
    if (jobs.length >= MAX_WAITING) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const leave = () => this.#leave(job, reasonOf(signal!));
    const job: Job = {
      ...{ owner, order, options, isLong: this.limits.sliceMs === undefined },
      settle(outcome) {
        signal?.removeEventListener('abort', leave);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome.result);
      },
    };
    signal?.addEventListener('abort', leave, { once: true });
    this.#enqueue(job, 'push');
    this.#next();
    return promise;
  }

  #enqueue(job: Job, place: 'push' | 'unshift'): void {
    job.timer = setTimeout(() => this.#leave(job, busy()), job.options.waitMs ?? this.limits.waitMs);
    const jobs = this.#waiting.get(job.owner) ?? [];
    jobs[place](job);
    this.#waiting.set(job.owner, jobs);
  }

  #dequeue(job: Job): boolean {
    clearTimeout(job.timer);
    const jobs = this.#waiting.get(job.owner) ?? [];
    const at = jobs.indexOf(job);
    if (at >= 0) jobs.splice(at, 1);
    if (jobs.length === 0) this.#waiting.delete(job.owner);
    return at >= 0;
  }

  #leave(job: Job, reason: Error): void {
    if (this.#dequeue(job)) job.settle(reason);
  }

  #next(): void {
    for (let job = this.#choose(); job; job = this.#choose()) {
      this.#dequeue(job);
      // Without others who wait, a slice would only waste work.
      if (this.#hasRoom() && ![...this.#waiting.keys()].some((owner) => owner !== job.owner)) job.isLong = true;
      this.#running.set(job.owner, job);
      void this.#process(job);
    }
  }

  /** The first task of the owner with the least processor time. One thread stays free of long tasks. */
  #choose(): Job | undefined {
    if (this.#running.size >= this.limits.threads) return undefined;
    const hasRoom = this.#hasRoom();
    let [chosen, least]: [Job | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const [owner, jobs] of this.#waiting) {
      if (this.#running.has(owner)) continue;
      // A long task keeps the others of its owner waiting, so that a flood costs one slice of each owner.
      const [first] = jobs;
      if (!first || (first.isLong && !hasRoom)) continue;
      const used = this.#usage.of(owner);
      if (used < least) [chosen, least] = [first, used];
    }
    return chosen;
  }

  /** Whether another long task may run. */
  #hasRoom(): boolean {
    const { threads, sliceMs } = this.limits;
    return sliceMs === undefined || [...this.#running.values()].filter(({ isLong }) => isLong).length < threads - 1;
  }

  async #process(job: Job): Promise<void> {
    const outcome = await this.#execute(job);
    this.#running.delete(job.owner);
    if ('isInterrupted' in outcome) {
      job.isLong = true;
      const { signal } = job.options;
      if (signal?.aborted) job.settle(reasonOf(signal));
      else this.#enqueue(job, 'unshift');
    } else job.settle(outcome);
    this.#next();
  }

  /** Runs a task in a thread. A task that exceeds a limit ends with its thread. */
  async #execute({ owner, order, options, isLong }: Job): Promise<Error | { result: unknown } | { isInterrupted: true }> {
    const { cpuMs = this.limits.cpuMs, signal, transfer } = options;
    const control = new AbortController();
    let failure: Error | undefined;
    const end = (error: Error) => {
      failure ??= error;
      control.abort();
    };
    const abort = () => end(reasonOf(signal!));
    signal?.addEventListener('abort', abort, { once: true });
    let stop = startTimer(START_TIME, () => end(new Error(`No thread for ${this.name} started in time`)));
    const watch = (thread: Worker) => {
      stop();
      const { totalMs, megabytes } = this.limits;
      stop = watchThread(thread, { cpuMs, totalMs, megabytes: options.megabytes ?? megabytes }, end);
    };
    try {
      const task = { ...order, sliceMs: isLong ? undefined : this.limits.sliceMs, [Piscina.queueOptionsSymbol]: { watch } };
      const answer = await this.#pool().run(task, { signal: control.signal, transferList: transfer });
      this.#usage.add(owner, answer.cpuMs);
      if ('result' in answer || 'isInterrupted' in answer) return answer;
      if ('fault' in answer) return new ContentFault(answer.fault, { reason: answer.reason });
      return new Error(`The task ${order.name} failed: ${answer.error}`);
    } catch (error) {
      if (failure instanceof ContentFault) this.#usage.add(owner, cpuMs);
      return failure ?? faultOf(error as Error);
    } finally {
      stop();
      signal?.removeEventListener('abort', abort);
    }
  }

  #pool(): Piscina<Order, TaskOutcome> {
    if (this.#threads) return this.#threads;
    const { threads: maxThreads, heapMb } = this.limits;
    const workerData: ThreadData = { modules: this.#modules };
    const pool: Piscina<Order, TaskOutcome> = new Piscina({
      filename: new URL('./thread.ts', import.meta.url).href,
      name: 'run',
      // Without the environment, because it contains secrets.
      ...{ workerData, env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: heapMb } },
      ...{ minThreads: 0, maxThreads, idleTimeout: IDLE_TIME, recordTiming: false },
      // An idle thread that blocks its event loop would not answer the checks of its next task.
      atomics: 'disabled',
      loadBalancer: (task, workers) => {
        const free = workers.find(({ id, currentUsage, destroyed }) => currentUsage === 0 && !destroyed && this.#ready.has(id));
        const thread = free && pool.threads.find(({ threadId }) => threadId === free.id);
        if (thread) (task as unknown as Watched)[Piscina.queueOptionsSymbol]!.watch(thread);
        return free ?? null;
      },
    });
    pool.on('workerCreate', ({ id }: { id: number }) => this.#ready.add(id));
    pool.on('workerDestroy', ({ id }: { id: number }) => this.#ready.delete(id));
    pool.on('error', (error: Error) => {
      // A task that is aborted as it ends still sends its result, which piscina reports in the message of an error.
      if (!error.message.startsWith('Unexpected message')) log.error({ err: error, lane: this.name }, 'A thread failed');
    });
    this.#threads = pool;
    return pool;
  }
}

const busy = () =>
  new ContentFault('The service is reading too much content at the moment. Try again shortly.', { reason: 'busy' });

/** A signal may abort with any value. */
const reasonOf = ({ reason }: AbortSignal): Error => (reason instanceof Error ? reason : new Error('aborted', { cause: reason }));

function startTimer(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** Calls `end` once the task of a thread exceeds a limit. Returns a function that stops the checks. */
function watchThread(
  thread: Worker,
  { cpuMs, totalMs, megabytes = Number.POSITIVE_INFINITY }: Pick<LaneLimits, 'cpuMs' | 'totalMs'> & { megabytes?: number },
  end: (error: Error) => void,
): () => void {
  const late = () => end(new ContentFault('The content takes too long to read.', { reason: 'time' }));
  const timer = setTimeout(late, totalMs);
  // A thread that has ended has no usage. A busy one answers late, so checks must not wait for each other.
  const before = thread.cpuUsage();
  before.catch(() => {});
  const checkTime = async () => {
    const { user, system } = await thread.cpuUsage(await before);
    if (user + system > cpuMs * 1_000) late();
  };
  const checkMemory = async () => {
    const held = await thread.getHeapStatistics();
    if (held.used_heap_size + held.external_memory > megabytes * MB) end(tooLarge());
  };
  const checks = setInterval(() => {
    void checkTime().catch(() => {});
    if (Number.isFinite(megabytes)) void checkMemory().catch(() => {});
  }, CHECK_INTERVAL);
  return () => {
    clearTimeout(timer);
    clearInterval(checks);
  };
}

const tooLarge = () => new ContentFault('The content takes too much memory to read.', { reason: 'memory' });

function faultOf(error: Error): Error {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return tooLarge();
  // A copy for the thread exhausts the stack if the input is nested too deeply.
  return error instanceof RangeError ? new ContentFault('The data is nested too deeply.', { reason: 'depth' }) : error;
}

/** Milliseconds after which used time counts half. */
const HALF_LIFE = 10_000;
const MAX_OWNERS = 1_000;

/** The time of a shared resource that owners used recently. */
export class RecentUse {
  readonly #used = new Map<string, { ms: number; at: number }>();

  of(owner: string): number {
    const used = this.#used.get(owner);
    return used ? used.ms * 2 ** ((used.at - performance.now()) / HALF_LIFE) : 0;
  }

  add(owner: string, ms: number): void {
    this.#used.set(owner, { ms: this.of(owner) + ms, at: performance.now() });
    if (this.#used.size <= MAX_OWNERS) return;
    for (const each of this.#used.keys()) if (this.of(each) < 1 || this.#used.size > 2 * MAX_OWNERS) this.#used.delete(each);
  }
}
