import type { Answer } from 'compiled-gateway';
import type { ExecutionResult } from 'graphql';
import { type EventStream, eventStream } from '../../schema/event-stream.ts';
import type { Outcome } from './execution.ts';
import { revived } from './execution.ts';

/**
 * The results of a stream for graphql-ws. Results without errors are text already: they go to `write`, because graphql-ws would parse
 * and write them again.
 */
export function writingText(answers: AsyncIterable<Answer>, write: (data: string) => void): EventStream<ExecutionResult> {
  const iterator = answers[Symbol.asyncIterator]();
  let open = true;
  const pull = async (): Promise<ExecutionResult | undefined> => {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done || !open) return undefined;
      if (value.errors || value.data === undefined) return revived(value);
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

/** The outcome of a query or mutation for graphql-ws, written as text in the same way. */
export function writingOutcome(outcome: Outcome, write: (data: string) => void): typeof nothing | ExecutionResult {
  if (outcome.errors || outcome.extensions || outcome.data === undefined) return revived(outcome);
  write(outcome.data);
  return nothing;
}
