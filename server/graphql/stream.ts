import type { Answer } from 'compiled-gateway';
import type { ExecutionResult } from 'graphql';
import { type EventStream, eventStream } from '../../schema/event-stream.ts';
import type { Outcome } from './execution.ts';
import { toExecutionResult } from './execution.ts';

/**
 * Adapt a stream of answers for graphql-ws. Answers without errors are JSON text and go directly to `write`, because graphql-ws
 * would need objects and serialize them again.
 */
export function streamResults(answers: AsyncIterable<Answer>, write: (data: string) => void): EventStream<ExecutionResult> {
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
  return eventStream(pull, () => {
    open = false;
    return iterator.return?.();
  });
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

const nothing: AsyncIterableIterator<ExecutionResult, undefined> = {
  [Symbol.asyncIterator]() {
    return this;
  },
  next: async () => over,
  return: async () => over,
};

/** Adapt the outcome of a query or mutation for graphql-ws in the same way. */
export function outcomeOf(outcome: Outcome, write: (data: string) => void): typeof nothing | ExecutionResult {
  if (outcome.errors || outcome.extensions || outcome.data === undefined) return toExecutionResult(outcome);
  write(outcome.data);
  return nothing;
}
