const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * A stream of events for one consumer. The consumer and the owner can end it at once, even while the next event is pending; an async
 * generator would wait for that event.
 */
export class EventStream<T> implements AsyncIterableIterator<T, undefined> {
  #isEnded = false;
  #last: T | undefined;
  /** Settles a pending read when the stream ends. */
  readonly #pending = new Set<() => void>();
  readonly #endListeners: (() => unknown)[] = [];

  /**
   * @param pull waits for the next event; undefined or an error ends the stream
   * @param close called once when the stream ends for any reason; `return` awaits it
   */
  constructor(
    private readonly pull: () => Promise<T | undefined>,
    private readonly close: () => unknown,
  ) {}

  [Symbol.asyncIterator]() {
    return this;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#isEnded) return Promise.resolve(this.#takeLast());
    return new Promise((resolve, reject) => {
      const settle = () => resolve(this.#takeLast());
      this.#pending.add(settle);
      this.pull().then(
        (value) => {
          // The end of the stream has settled this read already.
          if (!this.#pending.has(settle)) return;
          if (value === undefined) return this.end();
          this.#pending.delete(settle);
          resolve({ done: false, value });
        },
        (error: unknown) => {
          if (!this.#pending.delete(settle)) return;
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

  async throw(error: unknown): Promise<IteratorReturnResult<undefined>> {
    this.end();
    throw error;
  }

  /** End the stream, after one last event if there is one. */
  end(last?: T): void {
    if (this.#isEnded) return;
    this.#last = last;
    // No consumer is left to handle an error of `close`.
    this.#stop().catch(() => {});
  }

  /** Call a function once when the stream ends for any reason. */
  onEnd(listener: () => unknown): void {
    if (this.#isEnded) listener();
    else this.#endListeners.push(listener);
  }

  async #stop(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const settle of this.#pending) settle();
    this.#pending.clear();
    for (const listener of this.#endListeners) listener();
    await this.close();
  }

  #takeLast(): IteratorResult<T, undefined> {
    const value = this.#last;
    this.#last = undefined;
    return value === undefined ? DONE : { done: false, value };
  }
}

export interface MapOptions<In, Out> {
  /** Maps an event. If it fails, the stream ends with the error. */
  map(event: In): Out | Promise<Out>;
  /** Called before each read of the source. */
  beforeRead?(): void;
  /** The last event after an error of the source. Without it, the stream ends with the error. */
  lost?(error: unknown): Out;
  /** Ends the stream. */
  signal?: AbortSignal;
}

/** Map the events of a source. The source is asked to return as soon as the stream ends, without waiting for it. */
export function mapStream<In, Out>(
  source: AsyncIterable<In>,
  { map, beforeRead, lost, signal }: MapOptions<In, Out>,
): EventStream<Out> {
  const iterator = source[Symbol.asyncIterator]();
  let isSourceOver = false;
  const read = async () => {
    try {
      beforeRead?.();
      const result = await iterator.next();
      isSourceOver = result.done === true;
      return result;
    } catch (error) {
      isSourceOver = true;
      if (!lost) throw error;
      if (!stream.isEnded) stream.end(lost(error));
      return DONE;
    }
  };
  const pull = async (): Promise<Out | undefined> => {
    const { done, value } = await read();
    return done || stream.isEnded ? undefined : map(value);
  };
  const stream = new EventStream(pull, () => {
    // It may end only after its next event, and nobody is left to receive its error.
    if (!isSourceOver) Promise.resolve(iterator.return?.()).catch(() => {});
  });

  const stop = () => stream.end();
  if (signal?.aborted) stop();
  else if (signal) {
    signal.addEventListener('abort', stop);
    stream.onEnd(() => signal.removeEventListener('abort', stop));
  }
  return stream;
}
