import type { ExecutionResult } from 'graphql';
import type { Answer } from '../../schema/request.ts';
import type { Outcome } from './execution.ts';
import { revived } from './execution.ts';

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The results of a stream for graphql-ws. What has no errors is text already and is given to `write` instead, because it
 * would be parsed only to be written again. No async generator: its `return` would wait for the next event.
 */
export function writingText(
  answers: AsyncIterable<Answer>,
  write: (data: string) => void,
): AsyncIterableIterator<ExecutionResult, undefined> {
  const iterator = answers[Symbol.asyncIterator]();
  let returned = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      for (;;) {
        const { done, value } = await iterator.next();
        if (done || returned) return over;
        if (value.errors || value.data === undefined) return { done: false, value: revived(value) };
        write(value.data);
      }
    },
    async return() {
      returned = true;
      await iterator.return?.();
      return over;
    },
  };
}

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
