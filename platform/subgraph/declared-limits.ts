import { isDeepStrictEqual } from 'node:util';
import type { GraphQLResolverMap } from '@apollo/subgraph';
import { getMetadataStorage } from 'type-graphql';
import { type Limit, limitFaults, limitsOf, refuseFaults } from '../fields/index.ts';

/**
 * Checks the declared limits of all subgraphs of this process, for the gateway. The returned function yields the faults of a value.
 * `owner` is the input type, or the field that has the argument.
 */
export function declaredLimits(): (owner: string, name: string, value: unknown, path: string) => Iterable<string> {
  const { inputTypes, params, queries, mutations, subscriptions, fieldResolvers } = getMetadataStorage();
  const owners = new Map<string, ReadonlyMap<string, Limit>>(inputTypes.map(({ name, target }) => [name, limitsOf(target)]));
  const methods = [...queries, ...mutations, ...subscriptions, ...fieldResolvers];
  const argumentsOf = Map.groupBy(params.filter(isArguments), ({ target }) => target);
  for (const { target, methodName, schemaName } of methods) {
    const classes = argumentsOf.get(target)?.filter((each) => each.methodName === methodName) ?? [];
    const declared = classes.flatMap((each) => [...limitsOf(each.getType())]);
    owners.set(schemaName, merge(owners.get(schemaName), declared));
  }
  return (owner, name, value, path) => {
    const limit = owners.get(owner)?.get(name);
    return limit ? limitFaults(limit, value, path) : [];
  };
}

type Param = ReturnType<typeof getMetadataStorage>['params'][number];
const isArguments = (param: Param): param is Extract<Param, { kind: 'args' }> => param.kind === 'args';

/** Fields of several types share a name. The gateway skips limits on which they differ; the subgraph checks them all. */
function merge(known: ReadonlyMap<string, Limit> = new Map(), declared: [string, Limit][]): ReadonlyMap<string, Limit> {
  const all = new Map(known);
  for (const [name, limit] of declared) all.set(name, all.has(name) && !isDeepStrictEqual(all.get(name), limit) ? {} : limit);
  return all;
}

interface SubscriptionField {
  subscribe: Subscribe;
  resolve: (event: unknown) => unknown;
}
type Subscribe = (source: unknown, args: Record<string, unknown>, ...rest: unknown[]) => unknown;

/**
 * Check the limits of subscriptions when they start, because type-graphql checks arguments only at each event. An event is the value of its
 * field: access and arguments were checked at the start, and `streamAccess` ends the streams of callers who lose access.
 */
export function limitSubscriptions({ Subscription = {} }: GraphQLResolverMap<unknown>): void {
  const faultsOf = declaredLimits();
  for (const [field, resolver] of Object.entries(Subscription as Record<string, SubscriptionField>)) {
    const { subscribe } = resolver;
    resolver.resolve = (event) => event;
    resolver.subscribe = (source, args, ...rest) => {
      refuseFaults(Object.entries(args).flatMap(([name, value]) => [...faultsOf(field, name, value, name)]));
      return subscribe(source, args, ...rest);
    };
  }
}
