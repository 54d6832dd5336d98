import type { GraphQLResolverMap } from '@apollo/subgraph';
import {
  type FieldNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { Directive } from 'type-graphql';
import { columns, hidden, SizedCache, type StoredCount, Table, Tenant } from '../database/index.ts';
import type { RequestScope, Scope } from '../scope/index.ts';
import type { Services } from '../subgraph/index.ts';

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

interface Total {
  version: number;
  total: Promise<number>;
}

const BUDGET = 8_000_000;
const caches = new WeakMap<Services, SizedCache<string, Total>>();

const keyIn = ({ organizationId }: Scope, list: unknown) => JSON.stringify([organizationId, list]);

/**
 * Counts a list once per version of its rows. Concurrent requests share one count, so it must not end with one of them.
 * @param list name and arguments of the list, as JSON
 * @param version changes with every commit that could change the total
 */
export function totalAt(scope: Scope, list: unknown, version: number, count: () => Promise<number>): Promise<number> {
  const cache = caches.get(scope.services) ?? new SizedCache<string, Total>(BUDGET);
  caches.set(scope.services, cache);
  const key = keyIn(scope, list);
  const known = cache.get(key);
  if (known?.version === version) return known.total;
  const total = count();
  cache.set(key, { version, total }, 2 * key.length + 200);
  total.catch(() => cache.delete(key));
  return total;
}

/** Part of the size of a list that triggers maintain. */
@Table('identity.row_counts')
@Tenant()
export class RowCount extends columns({
  organizationId: hidden('uuid', { primary: true }),
  list: hidden('text', { primary: true }),
  /** The values by which the rows are counted apart, in the order of the migration. */
  key: hidden('array', { primary: true, columnType: 'text[]' }).as<(string | null)[]>(),
  slot: hidden('smallint', { primary: true }),
  count: hidden('count'),
}) {}

/** The size of a list. Values that are absent do not restrict it. */
export function sizeOf(list: string, values: (string | null | undefined)[] = []): StoredCount<RowCount> {
  const wanted = values.flatMap((value, at) => (value == null ? [] : [{ value, at: at + 1 }]));
  return {
    entity: RowCount,
    sum: 'count',
    where: { list },
    ...(wanted.length > 0 && {
      matching: (bind) => wanted.map(({ value, at }) => `r."key"[${at}] = ${bind(value)}`).join(' and '),
    }),
  };
}
