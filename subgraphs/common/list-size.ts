import type { GraphQLResolverMap } from '@apollo/subgraph';
import type { FieldNode, GraphQLResolveInfo, GraphQLSchema, SelectionSetNode } from 'graphql';
import { getNullableType, isListType, isObjectType, Kind } from 'graphql';
import { Directive } from 'type-graphql';
import type { RequestScope } from './scope.ts';

type Resolve = (source: unknown, given: Record<string, unknown>, scope: RequestScope, info: GraphQLResolveInfo) => unknown;

/**
 * Declares the length that the cost of an operation assumes for a list: the maximum where a list grows with the data, a generous
 * length for settings. The entries that are returned count against the budget of the answer. Lists of a page need none: their
 * argument `limit` or `perPage` says it.
 */
export const ListSize = (entries: number): PropertyDecorator & MethodDecorator => Directive(`@listSize(assumedSize: ${entries})`);

/**
 * Count the values of lists against the budget of the answer before they are made: a list below a list multiplies without reading
 * a row.
 */
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
    return list instanceof Promise ? list.then((each) => count(each, scope, info)) : count(list, scope, info);
  };

function count(list: unknown, { budget }: RequestScope, { fieldNodes, fragments }: GraphQLResolveInfo): unknown {
  if (budget && Array.isArray(list))
    budget.values(list.length * fieldNodes.reduce((sum, node) => sum + weightOf(node, fragments), 0));
  return list;
}

const weights = new WeakMap<FieldNode, number>();

/** Fields of one entry. Those of nested lists count once here, and with their length when these are made. */
function weightOf(node: FieldNode, fragments: GraphQLResolveInfo['fragments']): number {
  const known = weights.get(node);
  if (known !== undefined) return known;
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
