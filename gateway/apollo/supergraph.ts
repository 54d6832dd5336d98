import type { GraphQLDataSource, ServiceDefinition } from './data-source.ts';

/** Functions that a supergraph manager can call, as in `@apollo/gateway`. */
export interface SupergraphHookOptions {
  /** Replace the supergraph. Throws when it does not build; the gateway then keeps the old one. */
  update(supergraphSdl: string): void;
  /** Query `{ __typename }` of every subgraph in a supergraph. Rejects when one of them fails. */
  healthCheck(supergraphSdl: string): Promise<void>;
  /** Return the data source that the gateway uses for a subgraph. */
  getDataSource(definition: ServiceDefinition): GraphQLDataSource;
}

/** Returns the first supergraph and passes later ones to `update`. The gateway calls `cleanup` when it stops. */
export type SupergraphHook = (options: SupergraphHookOptions) => Promise<{
  supergraphSdl: string;
  cleanup?: () => Promise<void>;
}>;

/** A supergraph as SDL, or a manager that provides it, such as `IntrospectAndCompose` of `@apollo/gateway`. */
export type SupergraphSdl = string | SupergraphHook | { initialize: SupergraphHook };

export function hookOf(given: SupergraphSdl): SupergraphHook {
  if (typeof given === 'string') return async () => ({ supergraphSdl: given });
  return typeof given === 'function' ? given : (options) => given.initialize(options);
}
