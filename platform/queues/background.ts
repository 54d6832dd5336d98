import { setTimeout as sleep } from 'node:timers/promises';
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

  /** Wait until no task runs, but no longer than the timeout. Tasks are not aborted. */
  async drain(timeoutMs: number): Promise<void> {
    const timeout = new AbortController();
    const deadline = sleep(timeoutMs, true, { ref: false, signal: timeout.signal }).catch(() => true);
    let isLate = false;
    while (this.#running.size > 0 && !isLate) isLate = await Promise.race([deadline, Promise.all(this.#running).then(() => false)]);
    timeout.abort();
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
