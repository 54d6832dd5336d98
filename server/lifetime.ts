import type { ServerResponse } from 'node:http';
import { fail } from '../schema/errors.ts';

/** Nobody is left to read it, and the stack of an error costs more than all else of a stream that ends. */
const gone = fail('UNAVAILABLE', 'The caller went away');

/**
 * How long the work of a request may go on: until its caller is gone, or its time is over. There is one for each request, so it is
 * one object and not functions that point at each other: those outlive many collections of the young.
 */
export class Lifetime {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  #timer?: NodeJS.Timeout;
  #giveUp?: (reason: unknown) => void;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The caller is gone. */
  end(reason: Error = gone): void {
    this.#controller.abort(reason);
    this.#giveUp?.(reason);
  }

  /**
   * An operation, without waiting for what ignores the signal. Only here time counts, anew for each: bytes that are received before
   * or sent after take as long as they take.
   * @param times the operation is as much work as so many
   */
  within<T>(work: Promise<T>, times = 1): Promise<T> {
    const { signal } = this;
    const milliseconds = this.#milliseconds * times;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        work.catch(() => {});
        return reject(signal.reason);
      }
      this.#giveUp = reject;
      this.#timer = setTimeout(late, milliseconds, this, milliseconds);
      work.then(
        (value) => {
          clearTimeout(this.#timer);
          resolve(value);
        },
        (error: unknown) => {
          clearTimeout(this.#timer);
          reject(error);
        },
      );
    });
  }
}

const late = (lifetime: Lifetime, milliseconds: number) =>
  lifetime.end(fail('UNAVAILABLE', `The operation took longer than ${milliseconds / 1000} seconds`));

/** The lifetime of a request that is answered by this response. */
export function lifetimeOf(response: ServerResponse, milliseconds: number): Lifetime {
  const lifetime = new Lifetime(milliseconds);
  response.once('close', () => {
    if (!response.writableFinished) lifetime.end();
  });
  return lifetime;
}
