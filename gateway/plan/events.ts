/**
 * Map the events of a stream, one at a time. `return` and the signal end it at once and unsubscribe the source, even while `next`
 * is pending. This is not an async generator, because `return` of a generator waits for the next event.
 */
export function mapEvents<In, Out>(
  source: AsyncIterable<In>,
  each: (event: In) => Promise<Out>,
  lost: (error: unknown) => Out,
  signal?: AbortSignal,
): AsyncIterableIterator<Out, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  const waiting = new Set<() => void>();
  const over: IteratorReturnResult<undefined> = { done: true, value: undefined };
  let ended = false;

  const end = () => {
    if (ended) return;
    ended = true;
    signal?.removeEventListener('abort', stop);
  };
  const stop = () => {
    if (ended) return;
    end();
    for (const wake of waiting) wake();
    // Nobody is left to receive an error of the source.
    Promise.resolve(iterator.return?.()).catch(() => {});
  };
  const pull = async (): Promise<IteratorResult<Out, undefined>> => {
    let result: IteratorResult<In>;
    try {
      result = await iterator.next();
    } catch (error) {
      if (ended) return over;
      end();
      return { done: false, value: lost(error) };
    }
    if (!result.done && !ended) return { done: false, value: await each(result.value) };
    end();
    return over;
  };

  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () =>
      new Promise((resolve, reject) => {
        if (ended) return resolve(over);
        const wake = () => resolve(over);
        waiting.add(wake);
        const failed = (error: unknown) => {
          stop();
          reject(error);
        };
        pull()
          .finally(() => waiting.delete(wake))
          .then(resolve, failed);
      }),
    return: async () => {
      stop();
      return over;
    },
    throw: async (error) => {
      stop();
      throw error;
    },
  };
}
