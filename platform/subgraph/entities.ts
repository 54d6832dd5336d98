import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { isObjectType } from 'graphql';

type Reference = { readonly __typename: string } & Record<string, unknown>;
type Resolve = (reference: Reference, context: unknown, info: GraphQLResolveInfo) => unknown;

/**
 * Replace the `_entities` resolver of Apollo, which wraps every entity in a promise and dominates the cost of large fetches. A failing
 * reference does not affect the others. Interface keys still use the resolver of Apollo.
 */
export function resolveEntities(schema: GraphQLSchema): GraphQLSchema {
  const field = schema.getQueryType()?.getFields()._entities;
  if (!field) return schema;
  const { resolve: resolveAny } = field;
  const resolvers = new Map<string, Resolve>();
  for (const type of Object.values(schema.getTypeMap())) {
    const { subgraph } = (type.extensions.apollo ?? {}) as { subgraph?: { resolveReference?: Resolve } };
    if (isObjectType(type)) resolvers.set(type.name, subgraph?.resolveReference ?? ((reference) => reference));
  }

  field.resolve = (root, args: { representations: readonly Reference[] }, context, info) => {
    const { representations } = args;
    if (!representations.every(({ __typename }) => resolvers.has(__typename))) return resolveAny!(root, args, context, info);
    return representations.map((reference) => resolveReference(resolvers.get(reference.__typename)!, reference, context, info));
  };
  return schema;
}

function resolveReference(resolve: Resolve, reference: Reference, context: unknown, info: GraphQLResolveInfo): unknown {
  try {
    const entity = resolve(reference, context, info);
    return entity instanceof Promise ? entity.then((each) => withTypename(each, reference)) : withTypename(entity, reference);
  } catch (error) {
    return Promise.reject(error);
  }
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
