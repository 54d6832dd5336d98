import type { ServerResponse } from 'node:http';
import { fail } from '../../schema/errors.ts';

/** How long an operation may go on: until its caller is gone, or its time is over. */
export interface Lifetime {
  readonly signal: AbortSignal;
  /** The caller is gone. */
  end(): void;
  /** Lift the limit of time: the answer is complete, or it is a stream. */
  settle(): void;
}

export function lifetime(milliseconds: number): Lifetime {
  const controller = new AbortController();
  const late = () => controller.abort(fail('UNAVAILABLE', `The operation took longer than ${milliseconds / 1000} seconds`));
  const timer = setTimeout(late, milliseconds);
  return {
    signal: controller.signal,
    settle: () => clearTimeout(timer),
    end() {
      clearTimeout(timer);
      controller.abort(fail('UNAVAILABLE', 'The caller went away'));
    },
  };
}

export function lifetimeOf(response: ServerResponse, milliseconds: number): AbortSignal {
  const { signal, end, settle } = lifetime(milliseconds);
  response.once('close', () => (response.writableFinished ? settle() : end()));
  return signal;
}

/** Do not wait for work that ignores the signal. */
export async function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop));
}
