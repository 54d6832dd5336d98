import type { Answer, RequestContext } from 'compiled-gateway';
import type { ExecutionResult } from 'graphql';
import { fail } from '../../schema/errors.ts';
import type { Lifetime } from '../lifetime.ts';
import type { Accepted } from './accept.ts';
import type { Meter } from './allowance.ts';
import type { Limits } from './limits.ts';
import { errorsOf, revive } from './present.ts';

/** The input of one execution, on any transport. */
export interface ExecutionRequest {
  variables?: Readonly<Record<string, unknown>> | null;
  context: RequestContext;
  lifetime: Lifetime;
  /** That of a caller without a key. */
  meter?: Meter;
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
    async answer(accepted, { variables, context, lifetime, meter, wantsCost }) {
      const { plan, cost } = accepted;
      const given = variables ?? {};
      const requested = cost(given);
      const shown = wantsCost && { extensions: { cost: { requested, limit } } };
      try {
        if (requested > limit) throw costExceeded(requested, limit);
        const start = () => plan().execute(given, context);
        const answered = await lifetime.within(metered(accepted, meter, start));
        return shown ? { ...answered, ...shown } : answered;
      } catch (error) {
        return { errors: errorsOf(error), ...shown };
      }
    },

    async subscribe(accepted, { variables, context, lifetime, meter }) {
      const { plan, cost } = accepted;
      const given = variables ?? {};
      const requested = cost(given);
      try {
        if (requested > limit) throw costExceeded(requested, limit);
        const start = () => plan().subscribe(given, context);
        const events = await lifetime.opening(metered(accepted, meter, start), endStream);
        return Symbol.asyncIterator in events ? events : toExecutionResult(events);
      } catch (error) {
        return { errors: errorsOf(error) };
      }
    },
  };
}

/** The first run of an operation plans it and compiles the requests to the subgraphs, before it waits for anything. */
const metered = <T>({ isPlanned }: Accepted, meter: Meter | undefined, start: () => T): T =>
  meter && !isPlanned ? meter.spend(start) : start();

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
