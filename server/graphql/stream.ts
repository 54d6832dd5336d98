import type { Answer } from 'compiled-gateway';
import { EventStream } from 'compiled-gateway/event-stream';
import type { ExecutionResult } from 'graphql';
import { toExecutionResult } from './execution.ts';

/**
 * Adapt a stream of answers for graphql-ws. Answers without errors are JSON text and go directly to `write`, because graphql-ws
 * would need objects and serialize them again.
 * @param closed called once when the stream ends for any reason
 */
export function streamResults(
  answers: AsyncIterable<Answer>,
  write: (data: string) => void,
  closed: () => void,
): EventStream<ExecutionResult> {
  const iterator = answers[Symbol.asyncIterator]();
  let open = true;
  const pull = async (): Promise<ExecutionResult | undefined> => {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done || !open) return undefined;
      if (value.errors || value.data === undefined) return toExecutionResult(value);
      write(value.data);
    }
  };
  return new EventStream(pull, () => {
    open = false;
    closed();
    return iterator.return?.();
  });
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The results that graphql-ws sends for a query or mutation, whose response is sent already. */
export const nothing: AsyncIterableIterator<ExecutionResult, undefined> = {
  [Symbol.asyncIterator]() {
    return this;
  },
  next: async () => over,
  return: async () => over,
};
