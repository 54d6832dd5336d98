import type { Answer, RequestContext } from 'compiled-gateway';
import type { ExecutionResult } from 'graphql';
import { fail } from '../../schema/errors.ts';
import type { Lifetime } from '../lifetime.ts';
import type { Accepted } from './accept.ts';
import type { Limits } from './limits.ts';
import { errorsOf, revive } from './present.ts';

/** The input of one execution, on any transport. */
export interface ExecutionRequest {
  variables?: Readonly<Record<string, unknown>> | null;
  context: RequestContext;
  lifetime: Lifetime;
  /** Add the cost to the response. */
  wantsCost?: boolean;
}

/** The result of an execution, before its errors are masked. */
export interface Outcome extends Answer {
  extensions?: Record<string, unknown>;
}

export interface Execution {
  /** Run a query or mutation. */
  answer(accepted: Accepted, request: ExecutionRequest): Promise<Outcome>;
  /** Returns a stream, or one result when the operation is refused. */
  subscribe(accepted: Accepted, request: ExecutionRequest): Promise<AsyncIterable<Answer> | ExecutionResult>;
}

/** Create the execution of accepted operations. Failures become results with errors; its methods never reject. */
export function createExecution({ cost: limit }: Pick<Limits, 'cost'>): Execution {
  return {
    async answer({ plan, cost }, { variables, context, lifetime, wantsCost }) {
      const given = variables ?? {};
      const requested = cost(given);
      const shown = wantsCost && { extensions: { cost: { requested, limit } } };
      try {
        if (requested > limit) throw costExceeded(requested, limit);
        const answered = await lifetime.within(plan().execute(given, context));
        return shown ? { ...answered, ...shown } : answered;
      } catch (error) {
        return { errors: errorsOf(error), ...shown };
      }
    },

    async subscribe({ plan, cost }, { variables, context, lifetime }) {
      const given = variables ?? {};
      const requested = cost(given);
      try {
        if (requested > limit) throw costExceeded(requested, limit);
        const events = await lifetime.opening(plan().subscribe(given, context), endStream);
        return Symbol.asyncIterator in events ? events : toExecutionResult(events);
      } catch (error) {
        return { errors: errorsOf(error) };
      }
    },
  };
}

const endStream = (events: AsyncIterable<Answer> | Answer) =>
  Symbol.asyncIterator in events && events[Symbol.asyncIterator]().return?.();

const costExceeded = (cost: number, limit: number) =>
  fail('INVALID_INPUT', `The operation costs ${cost}, and ${limit} is the most: ask for fewer fields, or for shorter lists`);

/** Parse the data of an outcome, for consumers that need objects. */
export const toExecutionResult = ({ errors, data, extensions }: Outcome): ExecutionResult => ({
  ...(data !== undefined && { data: JSON.parse(data) }),
  ...(errors && { errors: errors.map(revive) }),
  ...(extensions && { extensions }),
});
