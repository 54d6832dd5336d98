import type { GraphQLResolverMap } from '@apollo/subgraph';
import { type GraphQLResolveInfo, isInterfaceType } from 'graphql';

type Reference = { readonly __typename: string } & Record<string, unknown>;
type Resolve = (reference: Reference, context: unknown, info: GraphQLResolveInfo) => unknown;

/**
 * The resolver map with a resolver of `_entities`. That of Apollo wraps every entity in a promise and dominates the cost of large fetches.
 * A failing reference does not affect the others.
 */
export function withEntities(resolvers: GraphQLResolverMap<unknown>): GraphQLResolverMap<unknown> {
  const types = resolvers as Record<string, { __resolveReference?: Resolve } | undefined>;
  const resolveReference = (reference: Reference, context: unknown, info: GraphQLResolveInfo): unknown => {
    const resolve = types[reference.__typename]?.__resolveReference;
    if (!resolve) return reference;
    try {
      const entity = resolve(reference, context, info);
      // The entity of an interface names its own type.
      if (isInterfaceType(info.schema.getType(reference.__typename))) return entity;
      return entity instanceof Promise ? entity.then((each) => withTypename(each, reference)) : withTypename(entity, reference);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const _entities = (
    _root: unknown,
    { representations }: { representations: readonly Reference[] },
    context: unknown,
    info: GraphQLResolveInfo,
  ) => representations.map((reference) => resolveReference(reference, context, info));
  return { ...resolvers, Query: { ...(resolvers.Query as object | undefined), _entities } } as GraphQLResolverMap<unknown>;
}

/** Set `__typename`, by which the `_Entity` union resolves the type of an entity. */
function withTypename(entity: unknown, { __typename }: Reference): unknown {
  if (typeof entity !== 'object' || entity === null) return entity;
  const known = entity as { __typename?: unknown };
  if (known.__typename === __typename) return entity;
  if (known.__typename !== undefined || !Object.isExtensible(entity)) return { ...entity, __typename };
  known.__typename = __typename;
  return entity;
}
