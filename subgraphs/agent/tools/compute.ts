import { Worker } from 'node:worker_threads';
import { forbidInTransaction } from '../../common/database/transactions.ts';
import type { Scope } from '../../common/scope.ts';
import { log } from '../../common/telemetry/log.ts';
import type { Answer, TaskInput, TaskName, TaskResult } from './tasks.ts';
import { ToolFault } from './templates.ts';

interface Job {
  id: number;
  name: TaskName;
  input: unknown;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Milliseconds that one task may use a processor, that it may take in total, and that the thread may take to start. */
const [CPU_TIME, TASK_TIME, START_TIME] = [1_000, 5_000, 30_000];
const CHECK_INTERVAL = 250;
/** Waiting tasks of one organization. */
const MAX_WAITING = 200;
export const MAX_HEAP_MB = 512;

/**
 * Run a task in the thread, which serves organizations in turn. Throws `ToolFault` if the input is at fault, needs more than a second of
 * processor time, or too much memory.
 */
export function compute<N extends TaskName>(
  { organizationId }: Pick<Scope, 'organizationId'>,
  name: N,
  input: TaskInput<N>,
): Promise<TaskResult<N>> {
  forbidInTransaction('A thread');
  return queue.add(organizationId, name, input) as Promise<TaskResult<N>>;
}

class Queue {
  /** By organization, in the order of their turns. */
  readonly #waiting = new Map<string, Job[]>();
  #thread?: Worker;
  #isReady = false;
  #running?: Job;
  #timer?: NodeJS.Timeout;
  #checks?: NodeJS.Timeout;
  #lastId = 0;

  add(owner: string, name: TaskName, input: unknown): Promise<unknown> {
    const jobs = this.#waiting.get(owner) ?? [];
    if (jobs.length >= MAX_WAITING) return Promise.reject(new ToolFault('Too many calls run at once. Try again shortly.'));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#lastId += 1;
    jobs.push({ id: this.#lastId, name, input, resolve, reject });
    this.#waiting.set(owner, jobs);
    this.#next();
    return promise;
  }

  /** Run the first job of the organization whose turn it is. */
  #next(): void {
    const [turn] = this.#waiting;
    if (!turn || this.#running) return;
    this.#thread ??= this.#start();
    if (!this.#isReady) return;
    const [owner, jobs] = turn;
    const job = jobs.shift()!;
    this.#waiting.delete(owner);
    if (jobs.length > 0) this.#waiting.set(owner, jobs);
    this.#running = job;
    this.#limit(this.#thread, job);
    this.#thread.ref();
    try {
      this.#thread.postMessage({ id: job.id, name: job.name, input: job.input });
    } catch (error) {
      this.#refuse(this.#thread, job, error as Error);
    }
  }

  /** A copy for the thread exhausts the stack if the input is nested too deeply. */
  #refuse(thread: Worker, job: Job, error: Error): void {
    this.#stopTimers();
    thread.unref();
    this.#running = undefined;
    job.reject(error instanceof RangeError ? new ToolFault('The data is nested too deeply.') : error);
    setImmediate(() => this.#next());
  }

  /** Counts processor time, because a busy machine makes every task slow. */
  #limit(thread: Worker, job: Job): void {
    const drop = () => this.#running === job && this.#drop(new ToolFault('The work takes too long.'));
    // A thread that has ended has no usage.
    const before = thread.cpuUsage();
    before.catch(() => {});
    const check = async () => {
      const { user, system } = await thread.cpuUsage(await before);
      if (user + system > CPU_TIME * 1_000) drop();
    };
    this.#timer = setTimeout(drop, TASK_TIME);
    this.#checks = setInterval(() => void check().catch(() => {}), CHECK_INTERVAL);
  }

  #stopTimers(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#checks);
  }

  #start(): Worker {
    // Without the environment, because it contains secrets.
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    this.#timer = setTimeout(() => this.#drop(new Error('The thread of tools did not start in time')), START_TIME);
    thread.on('message', (message: 'ready' | Answer) => {
      // A late answer of a thread that was dropped.
      if (this.#thread !== thread) return;
      this.#stopTimers();
      // An idle thread does not keep the process running.
      thread.unref();
      if (message === 'ready') this.#isReady = true;
      else this.#settle(message);
      this.#next();
    });
    thread.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#thread !== thread) return;
      const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (!isFull) log.error({ err: error }, 'The thread of tools failed');
      this.#drop(isFull ? new ToolFault('The work takes too much memory.') : error);
    });
    return thread;
  }

  #settle(answer: Answer): void {
    const job = this.#running;
    this.#running = undefined;
    if ('result' in answer) job?.resolve(answer.result);
    else job?.reject('fault' in answer ? new ToolFault(answer.fault) : new Error(`The task ${job.name} failed: ${answer.error}`));
  }

  /** End the thread and reject its job. A thread that never started rejects all jobs. */
  #drop(error: Error): void {
    this.#stopTimers();
    void this.#thread?.terminate();
    const failed = this.#isReady ? [] : [...this.#waiting.values()].flat();
    if (!this.#isReady) this.#waiting.clear();
    this.#thread = undefined;
    this.#isReady = false;
    for (const job of this.#running ? [this.#running, ...failed] : failed) job.reject(error);
    this.#running = undefined;
    this.#next();
  }
}

const queue = new Queue();
