/** A stream that can be ended from outside. */
export interface Cuttable<T> extends AsyncIterableIterator<T, undefined> {
  /** End the stream with a last event, even while the next one is awaited. */
  cut(last: T): void;
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The same stream as one that can be cut. It is no async generator, because the `return` of a generator waits for the next event.
 * @param ended called once, however the stream ends
 */
export function cuttable<T>(events: AsyncIterable<T>, ended: () => void): Cuttable<T> {
  const iterator = events[Symbol.asyncIterator]();
  const waiting = new Set<(result: IteratorResult<T, undefined>) => void>();
  let last: T | undefined;
  let isOver = false;

  const end = () => {
    if (isOver) return;
    isOver = true;
    ended();
  };
  const finish = (): IteratorResult<T, undefined> => {
    if (last === undefined) return over;
    const value = last;
    last = undefined;
    return { done: false, value };
  };
  const leave = () => {
    end();
    // A source that fails to end has nobody to report it to.
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
      leave();
      return over;
    },
    cut(event) {
      if (isOver) return;
      last = event;
      leave();
    },
  };
}
