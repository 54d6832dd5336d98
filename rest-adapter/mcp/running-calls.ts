import { fail } from '../../schema/errors.ts';
import { abortedByCaller } from '../../server/lifetime.ts';

/** Maximum calls of one key that wait for a stream. Each holds a connection and a subscription. */
const MOST_WAITING = 20;

/** The running calls of this process, so that they can be canceled. It stores nothing of a session between its calls. */
export class RunningCalls {
  readonly #calls = new Map<string, AbortController>();
  readonly #waiting = new Map<string, number>();

  /** Run work that `cancel` with the same name aborts. */
  async run<T>(name: string | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    if (name !== undefined) this.#calls.set(name, controller);
    try {
      return await work(controller.signal);
    } finally {
      if (name !== undefined && this.#calls.get(name) === controller) this.#calls.delete(name);
    }
  }

  cancel(name: string): void {
    this.#calls.get(name)?.abort(abortedByCaller('The call was canceled'));
  }

  /**
   * Run work that waits for a stream. Throws `RATE_LIMITED` if too many calls of the key wait. A call counts until the promises that it holds
   * have settled, because the source of a canceled call may still open its stream.
   */
  async wait<T>(key: string, work: (hold: (opening: Promise<unknown>) => void) => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(key) ?? 0;
    if (waiting >= MOST_WAITING) throw fail('RATE_LIMITED', `At most ${MOST_WAITING} calls of a key may wait at the same time.`);
    this.#waiting.set(key, waiting + 1);
    const held: Promise<unknown>[] = [];
    try {
      return await work((opening) => void held.push(opening));
    } finally {
      void Promise.allSettled(held).then(() => this.#leave(key));
    }
  }

  #leave(key: string): void {
    const left = (this.#waiting.get(key) ?? 1) - 1;
    if (left > 0) this.#waiting.set(key, left);
    else this.#waiting.delete(key);
  }
}
