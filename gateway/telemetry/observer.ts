import type { DocumentNode } from 'graphql';
import { getOperationAST, OperationTypeNode } from 'graphql';
import type { Answer, Operation, PrepareOptions, RequestContext, Source, SourceResult } from '../contract.ts';
import type { SupergraphOutcome } from '../supergraph/follow.ts';

/** What an observer is told of an operation. */
export interface ObservedOperation {
  kind: OperationTypeNode;
  /** Of an operation that is known at start: the row of the REST face, or the name in a manifest. There are only so many. */
  label?: string;
  /** What its caller calls it, which may be anything. */
  name?: string;
}

/** Stands around what the gateway runs. It must give back what `run` gives. */
export interface Observer {
  operation(operation: ObservedOperation, context: RequestContext, run: () => Promise<Answer>): Promise<Answer>;
  /** Of a request to one subgraph. */
  request(subgraph: string, run: () => Promise<SourceResult>): Promise<SourceResult>;
  /** Called when a stream of a subscription begins; what it returns, when it has ended. */
  stream(operation: ObservedOperation): () => void;
  /** Called when a new supergraph was applied or refused, or could not be read. */
  supergraph?(outcome: SupergraphOutcome): void;
}

/** Several observers as one, the first outermost. */
export const together = (observers: readonly Observer[]): Observer | undefined =>
  observers.length === 0
    ? undefined
    : observers.reduceRight((inner, outer) => ({
        operation: (operation, context, run) => outer.operation(operation, context, () => inner.operation(operation, context, run)),
        request: (subgraph, run) => outer.request(subgraph, () => inner.request(subgraph, run)),
        stream(operation) {
          const ends = [outer.stream(operation), inner.stream(operation)];
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
    execute: (request) => observer.request(name, async () => source.execute(request)),
    subscribe: (request) => source.subscribe(request),
    close: source.close?.bind(source),
  };
}

export function observedOperation(
  operation: Operation,
  document: DocumentNode,
  { operationName, label }: PrepareOptions,
  observer: Observer,
): Operation {
  const definition = getOperationAST(document, operationName);
  const told: ObservedOperation = {
    kind: definition?.operation ?? OperationTypeNode.QUERY,
    label,
    name: definition?.name?.value,
  };
  return {
    execute: (variables, context) => observer.operation(told, context, () => operation.execute(variables, context)),
    async subscribe(variables, context) {
      if (told.kind !== 'subscription') return this.execute(variables, context);
      const events = await operation.subscribe(variables, context);
      return Symbol.asyncIterator in events ? counted(events, observer.stream(told)) : events;
    },
  };
}

/** The same stream; `ended` is called once, however it ends. */
function counted(events: AsyncIterable<Answer>, ended: () => void): AsyncIterableIterator<Answer, undefined> {
  const iterator = events[Symbol.asyncIterator]();
  let over = false;
  const end = () => {
    if (!over) ended();
    over = true;
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const result = await iterator.next();
      if (!result.done) return { done: false, value: result.value };
      end();
      return { done: true, value: undefined };
    },
    async return() {
      end();
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
}
