import { type GraphQLResolverMap } from '@apollo/subgraph';
import { type GraphQLSchema, getNullableType, isListType, isObjectType } from 'graphql';
import { Directive } from 'type-graphql';
import type { RequestScope } from './scope.ts';

type Resolve = (source: unknown, given: Record<string, unknown>, scope: RequestScope, info: never) => unknown;

/**
 * Declares how many entries a list may have. The cost of an operation counts as many, so the resolver must never return more. Lists
 * of a page need none: the argument `limit` or `perPage` says their length.
 */
export const AtMost = (entries: number): PropertyDecorator & MethodDecorator => Directive(`@listSize(assumedSize: ${entries})`);

/** Count what list resolvers return against the budget of the answer: a list below a list multiplies without reading a row. */
export function countLists(schema: GraphQLSchema, resolvers: GraphQLResolverMap<unknown>): void {
  for (const [name, fields] of Object.entries(resolvers) as [string, Record<string, unknown>][]) {
    const type = schema.getType(name);
    if (!isObjectType(type)) continue;
    for (const [field, resolve] of Object.entries(fields)) {
      const declared = type.getFields()[field];
      if (typeof resolve === 'function' && declared && isListType(getNullableType(declared.type)))
        fields[field] = counted(resolve as Resolve);
    }
  }
}

const counted =
  (resolve: Resolve): Resolve =>
  (source, given, scope, info) => {
    const list = resolve(source, given, scope, info);
    return list instanceof Promise ? list.then((each) => count(each, scope)) : count(list, scope);
  };

function count(list: unknown, { budget }: RequestScope): unknown {
  if (Array.isArray(list)) budget?.list(list.length);
  return list;
}
