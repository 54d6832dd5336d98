import type { GraphQLResolverMap } from '@apollo/subgraph';
import type { FieldNode, GraphQLResolveInfo, GraphQLSchema, SelectionSetNode } from 'graphql';
import { getNullableType, isListType, isObjectType, Kind } from 'graphql';
import { Directive } from 'type-graphql';
import type { RequestScope } from '../scope/index.ts';

type Resolve = (source: unknown, args: Record<string, unknown>, scope: RequestScope, info: GraphQLResolveInfo) => unknown;

/**
 * Declares the list length that cost analysis assumes: the maximum for lists that grow with the data, a generous length for settings.
 * The returned entries count against the answer budget. Paginated lists need no declaration, because `limit` or `perPage` gives their
 * length.
 */
export const ListSize = (entries: number): PropertyDecorator & MethodDecorator => Directive(`@listSize(assumedSize: ${entries})`);

/**
 * Count the values of lists against the answer budget before they are serialized. Nested lists multiply the size of a response without
 * reading more rows.
 */
export function countLists(schema: GraphQLSchema, resolvers: GraphQLResolverMap<unknown>): void {
  for (const [name, fields] of Object.entries(resolvers) as [string, Record<string, unknown>][]) {
    const type = schema.getType(name);
    if (!isObjectType(type)) continue;
    for (const [field, resolve] of Object.entries(fields)) {
      const declared = type.getFields()[field];
      if (typeof resolve === 'function' && declared && isListType(getNullableType(declared.type)))
        fields[field] = withCount(resolve as Resolve);
    }
  }
}

const withCount =
  (resolve: Resolve): Resolve =>
  (source, args, scope, info) => {
    const list = resolve(source, args, scope, info);
    return list instanceof Promise ? list.then((each) => count(each, scope, info)) : count(list, scope, info);
  };

function count(list: unknown, { budget }: RequestScope, { fieldNodes, fragments }: GraphQLResolveInfo): unknown {
  if (budget && Array.isArray(list))
    budget.values(list.length * fieldNodes.reduce((sum, node) => sum + weightOf(node, fragments), 0));
  return list;
}

const weights = new WeakMap<FieldNode, number>();

/** Fields of one entry. Nested lists count as one entry here, and by their length when they are resolved. */
function weightOf(node: FieldNode, fragments: GraphQLResolveInfo['fragments']): number {
  const cached = weights.get(node);
  if (cached !== undefined) return cached;
  const below = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, each) => {
      if (each.kind === Kind.FIELD) return sum + 1 + (each.selectionSet ? below(each.selectionSet) : 0);
      const part = each.kind === Kind.INLINE_FRAGMENT ? each : fragments[each.name.value]!;
      return sum + below(part.selectionSet);
    }, 0);
  const weight = 1 + (node.selectionSet ? below(node.selectionSet) : 0);
  weights.set(node, weight);
  return weight;
}
