export { SizedCache } from './cache.ts';
export type {
  Answer,
  Budget,
  Check,
  Operation,
  Prepare,
  PrepareOptions,
  RequestContext,
  Source,
  SourceRequest,
  SourceResult,
} from './contract.ts';
export { rootTypeOf } from './document/root-type.ts';
export { type GatewayErrorCode, isVerbatim } from './errors.ts';
export { createGateway, type Gateway, type GatewayOptions, type ListSizes, operationKey, operationSize } from './gateway.ts';
export { createLiveGateway, type LiveGateway, type LiveGatewayOptions, type Opening } from './live/live.ts';
export { forwarding } from './sources/forwarding.ts';
export { type HttpSourceOptions, httpSource } from './sources/http.ts';
export { subgraphCheck } from './sources/readiness.ts';
export { InFlight } from './sources/sharing.ts';
export { type FollowOptions, followSupergraph, type SupergraphOutcome } from './supergraph/follow.ts';
export type { LocationOptions, SupergraphLocation } from './supergraph/location.ts';
export { supergraphAt } from './supergraph/open.ts';
export { type SubgraphAddress, subgraphsOf } from './supergraph/subgraphs.ts';
export { combineObservers, type ObservedOperation, type Observer } from './telemetry/observer.ts';
