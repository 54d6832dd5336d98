/** A stream of events for one consumer, which pulls one event at a time. */
export interface EventStream<T> extends AsyncIterableIterator<T, undefined> {
  /** End the stream, after one last event if there is one. */
  end(last?: T): void;
}

/**
 * A stream that `return` ends immediately, even while its next event is pending; an async generator would wait for that event.
 * @param pull waits for the next event; undefined ends the stream
 * @param close called once when the stream ends for any reason; `return` awaits it
 */
export function eventStream<T extends object>(pull: () => Promise<T | undefined>, close: () => unknown): EventStream<T> {
  return new PullStream(pull, close);
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

class PullStream<T extends object> implements EventStream<T> {
  #ended = false;
  #last: T | undefined;
  #wake: (() => void) | undefined;

  constructor(
    private readonly pull: () => Promise<T | undefined>,
    private readonly close: () => unknown,
  ) {}

  [Symbol.asyncIterator]() {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#ended) return Promise.resolve(this.#rest());
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(this.#rest());
      this.pull().then(
        (value) => {
          // `end` has already settled this promise.
          if (this.#ended) return;
          if (value === undefined) return this.end();
          resolve({ done: false, value });
        },
        (error: unknown) => {
          reject(error);
          this.end();
        },
      );
    });
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#last = undefined;
    await this.#stop();
    return DONE;
  }

  end(last?: T): void {
    if (this.#ended) return;
    this.#last = last;
    // No consumer is left to handle an error of `close`.
    this.#stop().catch(() => {});
  }

  async #stop(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#wake?.();
    await this.close();
  }

  #rest(): IteratorResult<T, undefined> {
    const value = this.#last;
    this.#last = undefined;
    return value ? { done: false, value } : DONE;
  }
}
