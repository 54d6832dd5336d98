/** A stream that its owner can terminate, even while an event is awaited. */
export interface TerminableStream<T> extends AsyncIterableIterator<T, undefined> {
  /** End the stream with a last event, even while `next` is pending. */
  terminate(last: T): void;
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Make a stream terminable. This is not an async generator, because `return` of a generator waits for the next event.
 * @param onEnd called once when the stream ends for any reason
 */
export function terminable<T>(events: AsyncIterable<T>, onEnd: () => void): TerminableStream<T> {
  const iterator = events[Symbol.asyncIterator]();
  const waiting = new Set<(result: IteratorResult<T, undefined>) => void>();
  let last: T | undefined;
  let isOver = false;

  const end = () => {
    if (isOver) return;
    isOver = true;
    onEnd();
  };
  const finish = (): IteratorResult<T, undefined> => {
    if (last === undefined) return over;
    const value = last;
    last = undefined;
    return { done: false, value };
  };
  const stop = () => {
    end();
    // Nobody is left to receive an error of the source.
    Promise.resolve(iterator.return?.()).catch(() => {});
    for (const wake of waiting) wake(finish());
    waiting.clear();
  };

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () =>
      new Promise((resolve, reject) => {
        if (isOver) return resolve(finish());
        waiting.add(resolve);
        iterator.next().then(
          (result) => {
            if (!waiting.delete(resolve)) return;
            if (result.done) end();
            resolve(result.done ? over : result);
          },
          (error: unknown) => {
            if (!waiting.delete(resolve)) return;
            end();
            reject(error);
          },
        );
      }),
    async return() {
      stop();
      return over;
    },
    terminate(event) {
      if (isOver) return;
      last = event;
      stop();
    },
  };
}
