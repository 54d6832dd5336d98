import type { ServerResponse } from 'node:http';
import { fail } from '../../schema/errors.ts';

/** Nobody is left to read it, and the stack of an error costs more than all else of a stream that ends. */
const gone = fail('UNAVAILABLE', 'The caller went away');

/**
 * How long an operation may go on: until its caller is gone, or its time is over. There is one for each request, so it is one
 * object and not functions that point at each other: those outlive many collections of the young.
 */
export class Lifetime {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #giveUp?: (reason: unknown) => void;

  constructor(milliseconds: number) {
    this.#timer = setTimeout(late, milliseconds, this, milliseconds);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Lift the limit of time: the answer is complete, or it is a stream. */
  settle(): void {
    clearTimeout(this.#timer);
  }

  /** The caller is gone. */
  end(reason: Error = gone): void {
    this.settle();
    this.#controller.abort(reason);
    this.#giveUp?.(reason);
  }

  /** The work of the operation, without waiting for what ignores the signal. */
  within<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      work.then(resolve, reject);
      if (signal.aborted) reject(signal.reason);
    });
  }
}

const late = (lifetime: Lifetime, milliseconds: number) =>
  lifetime.end(fail('UNAVAILABLE', `The operation took longer than ${milliseconds / 1000} seconds`));

/** The lifetime of a request that is answered by this response. */
export function lifetimeOf(response: ServerResponse, milliseconds: number): Lifetime {
  const lifetime = new Lifetime(milliseconds);
  response.once('close', () => (response.writableFinished ? lifetime.settle() : lifetime.end()));
  return lifetime;
}
