import { Supergraph } from '@apollo/federation-internals';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Operation, Prepare, Source } from './contract.ts';
import { type ListSizes, listSizesOf } from './list-sizes.ts';
import { cacheOperations } from './plan/cache.ts';
import type { CompiledOperation } from './plan/compiled.ts';
import type { Scalars } from './plan/leaves.ts';
import type { Limits } from './plan/limits.ts';
import { numberedFields } from './plan/numbered.ts';
import type { Graph } from './plan/operation.ts';
import { compileOperation } from './plan/operation.ts';
import { apiOf } from './planner/directives.ts';
import { createPlanner } from './planner/planner.ts';
import { type InFlight, sealing } from './sources/sharing.ts';
import { type Observer, observedOperation, observedSources } from './telemetry/observer.ts';

export { operationSize } from './plan/cache.ts';

export interface GatewayOptions {
  /** The composed supergraph, as SDL. */
  supergraph: string;
  /** One source for each subgraph, by its name in the supergraph. */
  sources: Record<string, Source>;
  /** What the sources share of requests under way; nothing is joined across a mutation. */
  inFlight?: InFlight;
  /** Directives on types, fields and arguments that the API schema retains, by name; by default it has none. */
  apiDirectives?: readonly string[];
  /** Subgraphs whose errors callers see as they are; the server masks errors of others unless it knows the code. */
  verbatim?: Iterable<string>;
  /** Scalars that judge the values of variables. The SDL only knows their names; without an entry any JSON passes. */
  scalars?: Scalars;
  /** Limits of the subgraphs, named to callers together with faults of type. */
  limits?: Limits;
  /** Called with what a source threw or got wrong, for the log; the caller only reads that it is unavailable. */
  onFault?: (subgraph: string, error: unknown) => void;
  /** Stands around every operation and request; nothing stands there without. */
  observer?: Observer;
  /** Called with each operation that is compiled; its result is used instead. */
  decorate?: (operation: CompiledOperation) => Operation;
}

export type { ListSizes } from './list-sizes.ts';

export interface Gateway {
  /** The API as callers see it: for validation, introspection and documentation. */
  readonly schema: GraphQLSchema;
  /** How long lists of the API may be. */
  readonly listSizes: ListSizes;
  /** Plan and compile an operation of a document that is valid. */
  readonly prepare: Prepare;
  /** The same, kept for the next caller with the same operation. */
  operation(document: DocumentNode, operationName?: string): Operation;
  /**
   * Make a value from the gateway. Where the supergraph can be replaced, the value is made again with each one, and one that throws
   * keeps the old supergraph.
   */
  derive<T>(make: (gateway: Gateway) => T): () => T;
  /** Close the sources. */
  close(): Promise<void>;
}

/** A gateway over any composed supergraph. Throws when a subgraph has no source. */
export function createGateway(options: GatewayOptions): Gateway {
  const {
    supergraph: sdl,
    inFlight,
    apiDirectives = [],
    verbatim = [],
    scalars = {},
    limits,
    onFault,
    observer,
    decorate,
    ...given
  } = options;
  const sources = inFlight ? sealing(given.sources, inFlight) : given.sources;
  const supergraph = Supergraph.build(sdl);
  const missing = supergraph.subgraphsMetadata().filter(({ name }) => !Object.hasOwn(sources, name));
  if (missing.length > 0) throw new Error(`No source for ${missing.map(({ name }) => name).join(', ')}`);

  const schema = apiOf(supergraph, apiDirectives).toGraphQLJSSchema();
  const planner = createPlanner(sdl, schema);
  const graph: Graph = {
    schema,
    supergraph: supergraph.schema.toGraphQLJSSchema(),
    planner,
    keysOf: planner.keysOf,
    sources: observer ? observedSources(sources, observer) : sources,
    scalars,
    limits,
    numbered: numberedFields(supergraph),
    verbatim: new Set(verbatim),
    onFault,
  };
  const prepare: Prepare = (document, how = {}) => {
    const compiled = compileOperation(document, how, graph);
    const operation = decorate ? decorate(compiled) : compiled;
    return observer ? observedOperation(operation, document, how, observer) : operation;
  };

  const gateway: Gateway = {
    schema: graph.schema,
    listSizes: listSizesOf(supergraph),
    prepare,
    operation: cacheOperations(prepare),
    derive(make) {
      const value = make(gateway);
      return () => value;
    },
    async close() {
      await Promise.all(Object.values(sources).map((source) => source.close?.()));
    },
  };
  return gateway;
}
