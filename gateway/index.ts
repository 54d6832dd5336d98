export { SizedCache } from './cache.ts';
export {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type ListSizes,
  operationKey,
  operationSize,
} from './compiled-gateway.ts';
export { type GatewayErrorCode, isVerbatim } from './gateway-error.ts';
export { createLiveGateway, type LiveGateway, type LiveGatewayOptions, type Opening } from './live/live-gateway.ts';
export { rootTypeOf } from './selection.ts';
export type {
  Answer,
  Authorization,
  Budget,
  Check,
  Deferred,
  DeferredEvent,
  DeferredPart,
  FirstAnswer,
  Operation,
  PartPlace,
  Prepare,
  PrepareOptions,
  RequestContext,
  Source,
  SourceRequest,
  SourceResult,
} from './source-contract.ts';
export { forwarding, type HttpSourceOptions, httpSource, subgraphCheck, withHeaders } from './sources/http-source.ts';
export { InFlight } from './sources/in-flight.ts';
export { type SubgraphAddress, subgraphsOf } from './supergraph/contents.ts';
export type { LocationOptions, SupergraphLocation } from './supergraph/location.ts';
export { buildNewest, type FollowOptions, followSupergraph, type SupergraphOutcome } from './supergraph/location.ts';
export { sdlAt, supergraphAt } from './supergraph/supergraph-at.ts';
export { combineObservers, type ObservedOperation, type Observer } from './telemetry/observer.ts';
export { CLIENT_HEADERS, clientOf, UsageCollector, type UsageLimits } from './usage/collector.ts';
export { partsOf, type SchemaPart } from './usage/schema-changes.ts';
export {
  checkSchema,
  type JudgedChange,
  type RecordedOperation,
  reportOf,
  type SchemaCheck,
  schemaOf,
} from './usage/schema-check.ts';
export { type FlushOptions, flushUsage, type ServedSchema, storeUsage, type UsageStore } from './usage/storing.ts';
export { type Client, REST, type UsageBatch, type UsageRow, type UsedOperation } from './usage/usage-contract.ts';
