import type { ServerResponse } from 'node:http';
import { fail } from '../schema/errors.ts';

/** The reason of an abort by the caller. Its name tells metrics that nothing failed. */
export const abortedByCaller = (message: string): Error => Object.assign(fail('UNAVAILABLE', message), { name: 'AbortError' });

/** One shared error, because nobody reads it and creating a stack trace is expensive. */
const callerDisconnected = abortedByCaller('The caller disconnected.');

/**
 * The lifetime of a request, which ends with a disconnect or a timeout. A class instead of closures, because closures that
 * reference each other survive young-generation GC, and there is one per request.
 */
export class Lifetime {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  #timer?: NodeJS.Timeout;
  #giveUp?: (reason: unknown) => void;
  #work?: Promise<unknown>;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves when the work has ended, which can be later than the lifetime. */
  async settled(): Promise<void> {
    await this.#work?.catch(() => {});
  }

  /** End the lifetime and abort its signal. By default the reason is that the caller disconnected. */
  end(reason: Error = callerDisconnected): void {
    this.#controller.abort(reason);
    this.#giveUp?.(reason);
  }

  /**
   * Wait for a stream like `within`. A stream that opens too late is ended.
   * @param wait can reject before the work has ended
   */
  async opening<T>(work: Promise<T>, end: (late: T) => unknown, wait: Promise<T> = work): Promise<T> {
    try {
      return await this.within(wait);
    } catch (error) {
      work.then(end).catch(() => {});
      throw error;
    }
  }

  /**
   * Wait for an operation until the timeout or a disconnect, even if the operation ignores the signal. Each call has its own
   * timeout; receiving the request and sending the response do not count.
   * @param times multiplies the timeout
   */
  within<T>(work: Promise<T>, times = 1): Promise<T> {
    const { signal } = this;
    const milliseconds = this.#milliseconds * times;
    this.#work = work;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        const forget = () => this.#forget(work);
        work.then(forget, forget);
        return reject(signal.reason);
      }
      this.#giveUp = reject;
      this.#timer = setTimeout(expire, milliseconds, this, milliseconds);
      work.then(
        (value) => {
          this.#forget(work);
          resolve(value);
        },
        (error: unknown) => {
          this.#forget(work);
          reject(error);
        },
      );
    });
  }

  /** Release settled work, which would keep its answer in memory as long as the request. */
  #forget(work: Promise<unknown>): void {
    clearTimeout(this.#timer);
    this.#giveUp = undefined;
    if (this.#work === work) this.#work = undefined;
  }
}

const expire = (lifetime: Lifetime, milliseconds: number) =>
  lifetime.end(fail('UNAVAILABLE', `The operation took longer than ${milliseconds / 1000} seconds`));

/** Create the lifetime of a request. It ends when the response is closed before it is sent. */
export function lifetimeOf(response: ServerResponse, milliseconds: number): Lifetime {
  const lifetime = new Lifetime(milliseconds);
  response.once('close', () => {
    if (!response.writableFinished) lifetime.end();
  });
  return lifetime;
}
