import type { Answer, RequestContext } from 'compiled-gateway';
import type { DocumentNode, ExecutionResult } from 'graphql';
import { fail } from '../../schema/errors.ts';
import type { Lifetime } from '../lifetime.ts';
import type { Accept, Accepted } from './accept.ts';
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

/** An execution of an operation that is not validated yet. */
export interface DocumentExecutionRequest extends ExecutionRequest {
  document: DocumentNode;
  operationName?: string | null;
}

/** The result of an execution, before its errors are masked. */
export interface Outcome extends Answer {
  extensions?: Record<string, unknown>;
}

export interface Execution {
  answer(accepted: Accepted, request: ExecutionRequest): Promise<Outcome>;
  execute(request: DocumentExecutionRequest): Promise<Outcome>;
  /** Returns a stream, or one result when the operation is refused. */
  subscribe(request: DocumentExecutionRequest): Promise<AsyncIterable<Answer> | ExecutionResult>;
}

/** Create the execution of operations. Failures become results with errors; its methods never reject. */
export function createExecution(accept: Accept, limits: Limits): Execution {
  const answer = async (
    { plan, cost }: Accepted,
    { variables, context, lifetime, wantsCost }: ExecutionRequest,
  ): Promise<Outcome> => {
    const given = variables ?? {};
    const requested = cost(given);
    const shown = wantsCost && { extensions: { cost: { requested, limit: limits.cost } } };
    try {
      if (requested > limits.cost) throw costExceeded(requested, limits);
      const answered = await lifetime.within(plan().execute(given, context));
      return shown ? { ...answered, ...shown } : answered;
    } catch (error) {
      return { errors: errorsOf(error), ...shown };
    }
  };

  return {
    answer,

    async execute(request) {
      try {
        return await answer(accept(request.document, request.operationName), request);
      } catch (error) {
        return { errors: errorsOf(error) };
      }
    },

    async subscribe({ document, operationName, variables, context, lifetime }) {
      try {
        const { plan, cost } = accept(document, operationName);
        const given = variables ?? {};
        if (cost(given) > limits.cost) throw costExceeded(cost(given), limits);
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

const costExceeded = (cost: number, { cost: limit }: Limits) =>
  fail('INVALID_INPUT', `The operation costs ${cost}, and ${limit} is the most: ask for fewer fields, or for shorter lists`);

/** Parse the data of an outcome, for consumers that need objects. */
export const toExecutionResult = ({ errors, data, extensions }: Outcome): ExecutionResult => ({
  ...(data !== undefined && { data: JSON.parse(data) }),
  ...(errors && { errors: errors.map(revive) }),
  ...(extensions && { extensions }),
});
