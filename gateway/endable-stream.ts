/** A stream that its reader, its owner and a signal can end at once, even while `next` is pending. */
export interface EndableStream<T> extends AsyncIterableIterator<T, undefined> {
  /** End the stream with a last event. */
  terminate(last: T): void;
}

export interface StreamOptions<In, Out> {
  /** Called before each read of the source. */
  beforeRead?(): void;
  /** Maps an event. If it fails, the stream ends with the error. */
  map(event: In): Out | Promise<Out>;
  /** The last event after an error of the source. Without it, the stream ends with the error. */
  lost?(error: unknown): Out;
  /** Ends the stream. */
  signal?: AbortSignal;
  /** Called once when the stream ends for any reason. */
  onEnd?(): void;
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Map a stream to one that unsubscribes its source as soon as it ends. This is not an async generator, because `return` of a generator
 * waits for the next event.
 */
export function endable<In, Out>(
  source: AsyncIterable<In>,
  { beforeRead, map, lost, signal, onEnd }: StreamOptions<In, Out>,
): EndableStream<Out> {
  const iterator = source[Symbol.asyncIterator]();
  const waiting = new Set<(result: IteratorResult<Out, undefined>) => void>();
  let last: Out | undefined;
  let isOver = false;

  const end = () => {
    if (isOver) return;
    isOver = true;
    signal?.removeEventListener('abort', stop);
    onEnd?.();
  };
  const finish = (): IteratorResult<Out, undefined> => {
    if (last === undefined) return over;
    const value = last;
    last = undefined;
    return { done: false, value };
  };
  const stop = () => {
    if (isOver) return;
    end();
    // Nobody is left to receive an error of the source.
    Promise.resolve(iterator.return?.()).catch(() => {});
    for (const wake of waiting) wake(finish());
    waiting.clear();
  };
  const read = async (): Promise<IteratorResult<Out, undefined>> => {
    let result: IteratorResult<In>;
    try {
      beforeRead?.();
      result = await iterator.next();
    } catch (error) {
      if (isOver) return over;
      end();
      if (!lost) throw error;
      return { done: false, value: lost(error) };
    }
    if (!result.done && !isOver) return { done: false, value: await map(result.value) };
    end();
    return over;
  };

  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop);

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () =>
      new Promise((resolve, reject) => {
        if (isOver) return resolve(finish());
        waiting.add(resolve);
        read().then(
          (result) => {
            if (waiting.delete(resolve)) resolve(result);
          },
          (error: unknown) => {
            if (!waiting.delete(resolve)) return;
            stop();
            reject(error);
          },
        );
      }),
    async return() {
      stop();
      return over;
    },
    async throw(error) {
      stop();
      throw error;
    },
    terminate(event) {
      if (isOver) return;
      last = event;
      stop();
    },
  };
}
