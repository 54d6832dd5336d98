import { type DocumentNode, getOperationAST, OperationTypeNode } from 'graphql';
import type { CompiledOperation } from '../plan/context.ts';
import type { Answer, Operation, PrepareOptions, RequestContext, Source, SourceResult } from '../source-contract.ts';
import type { SupergraphOutcome } from '../supergraph/location.ts';

/** The operation that an observer sees. */
export interface ObservedOperation {
  kind: OperationTypeNode;
  /** The REST row or manifest name of an operation known at start. Labels are bounded, so metrics may use them. */
  label?: string;
  /** The caller's operation name, which can be any text. */
  name?: string;
}

/** Wraps operations and requests of the gateway. It must return the result of `run`. */
export interface Observer {
  operation(operation: ObservedOperation, context: RequestContext, run: () => Promise<Answer>): Promise<Answer>;
  /** Wraps a request to one subgraph. */
  request(subgraph: string, run: () => Promise<SourceResult>, context: RequestContext): Promise<SourceResult>;
  /** Called when a subscription stream opens. The returned function is called when it ends. */
  stream(operation: ObservedOperation, context: RequestContext): () => void;
  /** Called when a supergraph is applied, refused, unreadable or readable again. */
  supergraph?(outcome: SupergraphOutcome): void;
}

/** Combine observers into one. The first is the outermost; undefined when the list is empty. */
export const combineObservers = (observers: readonly Observer[]): Observer | undefined =>
  observers.length === 0
    ? undefined
    : observers.reduceRight((inner, outer) => ({
        operation: (operation, context, run) => outer.operation(operation, context, () => inner.operation(operation, context, run)),
        request: (subgraph, run, context) => outer.request(subgraph, () => inner.request(subgraph, run, context), context),
        stream(operation, context) {
          const ends = [outer.stream(operation, context), inner.stream(operation, context)];
          return () => {
            for (const end of ends) end();
          };
        },
        supergraph(outcome) {
          outer.supergraph?.(outcome);
          inner.supergraph?.(outcome);
        },
      }));

export const observedSources = (sources: Record<string, Source>, observer: Observer): Record<string, Source> =>
  Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, observedSource(name, source, observer)]));

function observedSource(name: string, source: Source, observer: Observer): Source {
  return {
    execute: (request) => observer.request(name, async () => source.execute(request), request.context),
    subscribe: (request) => source.subscribe(request),
    close: source.close?.bind(source),
  };
}

export function observedOperation(
  operation: CompiledOperation,
  document: DocumentNode,
  { operationName, label }: PrepareOptions,
  observer: Observer,
): Operation {
  const definition = getOperationAST(document, operationName);
  const observed: ObservedOperation = {
    kind: definition?.operation ?? OperationTypeNode.QUERY,
    label,
    name: definition?.name?.value,
  };
  const { executeInParts } = operation;
  return {
    execute: (variables, context) => observer.operation(observed, context, () => operation.execute(variables, context)),
    // Observed up to its first answer.
    executeInParts:
      executeInParts && ((variables, context) => observer.operation(observed, context, () => executeInParts(variables, context))),
    async subscribe(variables, context) {
      if (observed.kind !== 'subscription') return this.execute(variables, context);
      const events = await operation.subscribe(variables, context);
      if (Symbol.asyncIterator in events) events.onEnd(observer.stream(observed, context));
      return events;
    },
  };
}

/** A result with errors as GraphQL defines them. */
export interface ObservedResult {
  errors?: readonly { extensions?: Record<string, unknown> }[];
}

const CODE = /^[A-Z_]{1,40}$/;

/**
 * The code of the first error; undefined without errors. Text that does not look like a code is replaced: it may be input of the caller,
 * and would make labels unbounded.
 */
export function codeIn({ errors }: ObservedResult): string | undefined {
  if (!errors?.length) return undefined;
  const given = errors[0]?.extensions?.code;
  return typeof given === 'string' && CODE.test(given) ? given : 'INTERNAL_SERVER_ERROR';
}
