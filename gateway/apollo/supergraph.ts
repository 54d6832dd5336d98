import type { GraphQLDataSource, ServiceDefinition } from './data-source.ts';

/** What a supergraph manager may do with the gateway, as in `@apollo/gateway`. */
export interface SupergraphHookOptions {
  /** Serve another supergraph from now on. Throws when it does not build; the gateway then keeps the old one. */
  update(supergraphSdl: string): void;
  /** Ask every subgraph of a supergraph for `{ __typename }`. Rejects when one does not answer. */
  healthCheck(supergraphSdl: string): Promise<void>;
  /** The data source that the gateway uses for a subgraph. */
  getDataSource(definition: ServiceDefinition): GraphQLDataSource;
}

/** Gives the first supergraph, and later ones through `update`. The gateway calls `cleanup` when it stops. */
export type SupergraphHook = (options: SupergraphHookOptions) => Promise<{
  supergraphSdl: string;
  cleanup?: () => Promise<void>;
}>;

/** A supergraph as text, or whatever provides it: `IntrospectAndCompose` of `@apollo/gateway` for example. */
export type SupergraphSdl = string | SupergraphHook | { initialize: SupergraphHook };

export function hookOf(given: SupergraphSdl): SupergraphHook {
  if (typeof given === 'string') return async () => ({ supergraphSdl: given });
  return typeof given === 'function' ? given : (options) => given.initialize(options);
}
