import { Supergraph } from '@apollo/federation-internals';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Operation, Prepare, Source } from '../schema/request.ts';
import { type ListSizes, listSizesOf } from './list-sizes.ts';
import { cacheOperations } from './plan/cache.ts';
import type { Scalars } from './plan/leaves.ts';
import type { Limits } from './plan/limits.ts';
import { numberedFields } from './plan/numbered.ts';
import type { Graph } from './plan/operation.ts';
import { compileOperation } from './plan/operation.ts';
import { apiOf } from './planner/directives.ts';
import { createPlanner } from './planner/planner.ts';
import { type InFlight, sealing } from './source-sharing.ts';
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
  /** Scalars that judge the values of variables. The SDL only knows their names; without an entry any JSON passes. */
  scalars?: Scalars;
  /** Limits of the subgraphs, named to callers together with faults of type. */
  limits?: Limits;
  /** Called with what a source threw or got wrong, for the log; the caller only reads that it is unavailable. */
  onFault?: (subgraph: string, error: unknown) => void;
  /** Stands around every operation and request; nothing stands there without. */
  observer?: Observer;
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
  /** Close the sources. */
  close(): Promise<void>;
}

/** A gateway over any composed supergraph. Throws when a subgraph has no source. */
export function createGateway(options: GatewayOptions): Gateway {
  const { supergraph: sdl, inFlight, apiDirectives = [], scalars = {}, limits, onFault, observer, ...given } = options;
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
    onFault,
  };
  const prepare: Prepare = (document, how = {}) => {
    const operation = compileOperation(document, how, graph);
    return observer ? observedOperation(operation, document, how, observer) : operation;
  };

  return {
    schema: graph.schema,
    listSizes: listSizesOf(supergraph),
    prepare,
    operation: cacheOperations(prepare),
    async close() {
      await Promise.all(Object.values(sources).map((source) => source.close?.()));
    },
  };
}
