import type { DocumentNode, ExecutionResult } from 'graphql';
import type { RequestContext, SourceResult } from '../../schema/request.ts';
import type { Gateway } from '../gateway.ts';
import type { Check } from './check.ts';
import { unlessAborted } from './lifetime.ts';
import { graphQLError, revive } from './present.ts';

/** One operation of a caller, on any transport. */
export interface Asked {
  document: DocumentNode;
  operationName?: string | null;
  variables?: Readonly<Record<string, unknown>> | null;
  context: RequestContext;
}

export interface Execution {
  execute(asked: Asked): Promise<ExecutionResult>;
  /** A stream, or one result when the operation is refused. */
  subscribe(asked: Asked): Promise<AsyncIterable<SourceResult> | ExecutionResult>;
}

/** Runs what passed the check. Every failure is a result, never a rejection. */
export function createExecution(gateway: Gateway, check: Check): Execution {
  async function run<T>(
    { document, operationName, context }: Asked,
    start: (operation: ReturnType<Gateway['operation']>) => Promise<T>,
  ) {
    const faults = check(document, operationName);
    if (faults.length > 0) return { errors: faults };
    try {
      return await unlessAborted(context.signal, start(gateway.operation(document, operationName ?? undefined)));
    } catch (error) {
      return { errors: [graphQLError(error)] };
    }
  }

  return {
    execute: (asked) => run(asked, async (operation) => revived(await operation.execute(asked.variables ?? {}, asked.context))),

    subscribe: (asked) =>
      run(asked, async (operation) => {
        const events = await operation.subscribe(asked.variables ?? {}, asked.context);
        return Symbol.asyncIterator in events ? events : revived(events);
      }),
  };
}

const revived = ({ errors, ...result }: SourceResult): ExecutionResult => ({
  ...result,
  ...(errors && { errors: errors.map(revive) }),
});
