/** Builds and serves a subgraph: its schema, the checks in front of its resolvers, its errors, and the services that its process shares. */
export type { SubgraphParts } from './build-subgraph.ts';
export { NullIsAnswer } from './describe.ts';
export { storageFault } from './error-format.ts';
export type { Graph, Services } from './services.ts';
