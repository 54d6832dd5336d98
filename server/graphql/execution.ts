import type { Answer, RequestContext } from 'compiled-gateway';
import type { DocumentNode, ExecutionResult } from 'graphql';
import { fail } from '../../schema/errors.ts';
import type { Lifetime } from '../lifetime.ts';
import type { Accept, Accepted } from './accept.ts';
import type { Limits } from './limits.ts';
import { errorsOf, revive } from './present.ts';

/** How one operation of a caller is to be run, on any transport. */
export interface Asked {
  variables?: Readonly<Record<string, unknown>> | null;
  context: RequestContext;
  lifetime: Lifetime;
  /** Say in the answer what the operation costs. */
  wantsCost?: boolean;
}

/** The same, of an operation in a document. */
export interface AskedByDocument extends Asked {
  document: DocumentNode;
  operationName?: string | null;
}

/** What is answered to a caller, before its errors are made presentable. */
export interface Outcome extends Answer {
  extensions?: Record<string, unknown>;
}

export interface Execution {
  answer(accepted: Accepted, asked: Asked): Promise<Outcome>;
  execute(asked: AskedByDocument): Promise<Outcome>;
  /** A stream, or one result when the operation is refused. */
  subscribe(asked: AskedByDocument): Promise<AsyncIterable<Answer> | ExecutionResult>;
}

/** Runs what was accepted. Every failure is a result, never a rejection. */
export function createExecution(accept: Accept, limits: Limits): Execution {
  const answer = async ({ plan, cost }: Accepted, { variables, context, lifetime, wantsCost }: Asked): Promise<Outcome> => {
    const given = variables ?? {};
    const requested = cost(given);
    const shown = wantsCost && { extensions: { cost: { requested, limit: limits.cost } } };
    try {
      if (requested > limits.cost) throw tooDear(requested, limits);
      const answered = await lifetime.within(plan().execute(given, context));
      return shown ? { ...answered, ...shown } : answered;
    } catch (error) {
      return { errors: errorsOf(error), ...shown };
    }
  };

  return {
    answer,

    async execute(asked) {
      try {
        return await answer(accept(asked.document, asked.operationName), asked);
      } catch (error) {
        return { errors: errorsOf(error) };
      }
    },

    async subscribe({ document, operationName, variables, context, lifetime }) {
      try {
        const { plan, cost } = accept(document, operationName);
        const given = variables ?? {};
        if (cost(given) > limits.cost) throw tooDear(cost(given), limits);
        const events = await lifetime.within(plan().subscribe(given, context));
        return Symbol.asyncIterator in events ? events : revived(events);
      } catch (error) {
        return { errors: errorsOf(error) };
      }
    },
  };
}

const tooDear = (cost: number, { cost: most }: Limits) =>
  fail('INVALID_INPUT', `The operation costs ${cost}, and ${most} is the most: ask for fewer fields, or for shorter lists`);

/** With its data read, for what wants objects. */
export const revived = ({ errors, data, extensions }: Outcome): ExecutionResult => ({
  ...(data !== undefined && { data: JSON.parse(data) }),
  ...(errors && { errors: errors.map(revive) }),
  ...(extensions && { extensions }),
});
