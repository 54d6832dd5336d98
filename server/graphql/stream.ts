import type { ExecutionResult } from 'graphql';
import type { Answer } from '../../schema/request.ts';
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
