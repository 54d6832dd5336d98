import type { GraphQLResolveInfo } from 'graphql';
import { type Bind, clock, countRows, readCount, readRows, SizedCache, sumOf } from '../../../platform/database/index.ts';
import {
  type CursorPage,
  columnReader,
  isSelected,
  type ListOrder,
  listByCursor,
  listParts,
  locatePage,
  type OrderedRows,
  paginate,
  totalAt,
} from '../../../platform/lists/index.ts';
import { detached, type RequestScope, type Scope } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { type CompletenessOrder, listByCompleteness } from './completeness-order.ts';
import { Product } from './entity.ts';
import {
  conditionsOf,
  countOfGroups,
  divideFilter,
  expectationsOf,
  hasWords,
  isEmpty,
  nameOrSkuContains,
  type ProductFilter,
} from './filter.ts';
import { ProductVersion, productCounts, rareMatches, readVersion, versionOf } from './product-counts.ts';
import type { ProductsArguments } from './types.ts';

/** The columns of a product in a list. Large columns are read only if they are selected. */
export const LIST_COLUMNS = [
  'id',
  'organizationId',
  'sku',
  'name',
  'manufacturer',
  'mpn',
  'uom',
  'brand',
  'category',
  'externalId',
  'parentId',
  'isParent',
  'enriched',
  'archived',
  'createdAt',
  'updatedAt',
] as const;

/** A subselect, because a separate query for parent names would cost more than the page itself. */
export const joined = {
  parentName: '(select p.name from catalog.products p where p.id = r.parent_id and p.organization_id = r.organization_id)',
};

type Sort = Exclude<ProductsArguments['sortBy'] | NonNullable<ProductsArguments['orderBy']>, 'completeness'>;

/** The orders with runs. That of `updatedAt` would change with every write. */
const COLUMNS: Partial<Record<Sort, { column: string; isTime: boolean; isNullable?: boolean }>> = {
  createdAt: { column: 'created_at', isTime: true },
  sku: { column: 'sku', isTime: false },
  name: { column: 'name', isTime: false },
  manufacturer: { column: 'manufacturer', isTime: false, isNullable: true },
  brand: { column: 'brand', isTime: false, isNullable: true },
};

const CLASSES = [
  { name: 'plain', isParent: false, enriched: false },
  { name: 'enriched', isParent: false, enriched: true },
  { name: 'parents', isParent: true, enriched: false },
  { name: 'enriched_parents', isParent: true, enriched: true },
];

/** The page index of an order of the list without search and filter. Undefined for orders that have none. */
function orderOf(scope: Scope, sort: Sort, direction: 'asc' | 'desc', where: Where): ListOrder | undefined {
  const order = COLUMNS[sort];
  // Few products are archived.
  if (where.archived) return undefined;
  const isCounted = (each: (typeof CLASSES)[number]) =>
    (where.isParent ?? each.isParent) === each.isParent && (where.enriched ?? each.enriched) === each.enriched;
  return (
    order && {
      index: 'catalog.product_page_index',
      listId: scope.organizationId,
      direction,
      ...order,
      classes: CLASSES.filter(isCounted).map(({ name }) => name),
      total: (bind) => sumOf(scope, productCounts(where), bind),
    }
  );
}

/** A product as a list query returns it. */
export type ListedProduct = Product & { parentName?: string | null };

type Request = Pick<ProductsArguments, 'page' | 'limit' | 'after'>;

/** One page of products as plain rows, without large columns such as `attributes`. */
export async function listProducts(
  scope: Scope,
  { search, filter, sortBy, sortOrder, orderBy: order, parentFilter, enrichedFilter, ...page }: ProductsArguments,
  info: GraphQLResolveInfo,
): Promise<CursorPage<ListedProduct>> {
  const { where, request } = matchingOf({ search, filter, parentFilter, enrichedFilter });
  if (order === 'completeness') return listSorted(scope, where, request, sortOrder, page, info);
  const orderBy = { [order ?? sortBy]: sortOrder, id: sortOrder };
  const rows = { columns: LIST_COLUMNS, joined, where, orderBy };
  if (isRestricted(request)) return listMatches(scope, rows, request, page, info);
  const offset = page.after == null ? (page.page - 1) * page.limit : 0;
  const runs = orderOf(scope, order ?? sortBy, sortOrder, where);
  const located = runs && (await locatePage(scope, runs, offset));
  if (located) return listParts(scope, Product, rows, located, page, info);
  return listByCursor(scope, Product, rows, page, info, productCounts(where));
}

type Selected = {
  search?: string | null;
  filter?: ProductFilter | null;
  parentFilter?: ProductsArguments['parentFilter'] | null;
  enrichedFilter?: ProductsArguments['enrichedFilter'] | null;
};

function matchingOf({ search, filter, parentFilter, enrichedFilter }: Selected): { where: Where; request: Matching } {
  const where = {
    archived: filter?.archived ?? false,
    ...(parentFilter && parentFilter !== 'all' && { isParent: parentFilter === 'parent' }),
    ...(enrichedFilter && enrichedFilter !== 'all' && { enriched: enrichedFilter === 'enriched' }),
  };
  return { where, request: { search: search ?? '', filter: filter ?? {} } };
}

/** The number of products of a list. */
export async function countProducts(scope: Scope, selected: Selected): Promise<number> {
  const { where, request } = matchingOf(selected);
  const version = await readVersion(scope);
  return countMatches(scope, request, where, await matchesOf(scope, request, where), version[versionOf(request.filter)]);
}

type Where = { archived: boolean; isParent?: boolean; enriched?: boolean };

interface Matching {
  search: string;
  filter: ProductFilter;
}

function isRestricted({ search, filter: { archived: _, words, ...conditions } }: Matching): boolean {
  return search !== '' || hasWords({ words }) || Object.values(conditions).some((each) => each != null);
}

/** The search and the filter as a condition, and the name of the list under which its total is stored. */
async function matchesOf(scope: Scope, { search, filter }: Matching, where: Where) {
  const rare = await rareMatches(scope, filter);
  const conditions = (bind: Bind) => [
    ...(search ? [nameOrSkuContains(search, bind)] : []),
    ...conditionsOf(filter, scope.organizationId, bind),
    ...(rare ? [isAmong(rare)(bind)] : []),
  ];
  const expectations = filter.completenessBelow == null ? null : await expectationsOf(scope);
  return {
    matching: (bind: Bind) => conditions(bind).join(' and ') || 'true',
    list: ['products', search, filter, where, expectations],
  };
}

/** A page of the products that a search or a filter selects. The catalog is scanned for the total once per change of the catalog. */
async function listMatches(
  scope: Scope,
  rows: OrderedRows<Product> & { where: Where },
  request: Matching,
  page: Request,
  info: GraphQLResolveInfo,
): Promise<CursorPage<ListedProduct>> {
  const { search, filter } = request;
  const { where, orderBy } = rows;
  const [order] = Object.keys(orderBy);
  // Other filters read no rows before the page, which returns the version.
  const isSearch = search !== '' || hasWords(filter);
  const isRead = filter.attribute || filter.attributes || filter.missingAttribute || filter.completenessBelow != null;
  const version = isSearch || isRead ? await readVersion(scope) : undefined;
  const { matching, list } = await matchesOf(scope, request, where);
  const matches =
    isSearch && version
      ? await readMatches(scope, list, version[versionOf(filter, order)], { where, orderBy, matching })
      : undefined;
  if (matches && page.after == null) {
    const start = (page.page - 1) * page.limit;
    const shown = matches.slice(start, start + page.limit);
    const located = { ranges: shown.length > 0 ? [{}] : [], total: matches.length };
    const found = await listParts(scope, Product, { ...rows, matching: isAmong(shown) }, located, page, info);
    // A short page lacks a product that was deleted after the matches were read.
    if (found.nodes.length === shown.length) return found;
  }
  if (matches && matches.length <= MAX_AMONG)
    return listByCursor(scope, Product, { ...rows, matching: isAmong(matches) }, page, info, matches.length);
  const sum = versionOf(filter);
  const size = version ? version[sum] : { entity: ProductVersion, sum };
  const found = await listByCursor(scope, Product, { ...rows, matching }, page, info, size);
  if (!isSelected(info, 'pagination')) return found;
  const total = await countMatches(scope, request, where, { matching, list }, found.pagination.total);
  return { ...found, ...paginate(found.nodes, page, total) };
}

/** The conditions that whole groups of products meet, and the others; `isOfGroups` if there are no others. */
function divide({ search, filter }: Matching, where: Where) {
  const { ofGroups, ofProducts } = divideFilter(filter);
  const isOfGroups = search === '' && isEmpty(ofProducts) && Object.keys(where).length === 1 && !where.archived;
  return { ofGroups, ofProducts, isOfGroups };
}

/** The number of matches, which is counted once per version of the catalog, or stored. */
function countMatches(
  scope: Scope,
  request: Matching,
  where: Where,
  { matching, list }: Awaited<ReturnType<typeof matchesOf>>,
  version: number,
): Promise<number> {
  if (!isRestricted(request)) return readCount(scope, productCounts(where));
  const { ofGroups, isOfGroups } = divide(request, where);
  if (isOfGroups) return countOfGroups(scope, ofGroups);
  // The count outlives a caller who disconnects, because others may wait for it.
  return totalAt(scope, list, version, () => countRows(detached(scope), Product, { where, matching }));
}

/** A page of the products in the order of their completeness. */
async function listSorted(
  scope: Scope,
  where: Where,
  request: Matching,
  direction: 'asc' | 'desc',
  page: Request,
  info: GraphQLResolveInfo,
): Promise<CursorPage<ListedProduct>> {
  const version = await readVersion(scope);
  const matches = await matchesOf(scope, request, where);
  const { search, filter } = request;
  const { ofGroups, ofProducts, isOfGroups } = divide(request, where);
  const areFew = where.archived || (!isOfGroups && !(await hasMany(scope, matches.list, { where, matching: matches.matching })));
  const order: CompletenessOrder = {
    direction,
    ofGroups,
    isOfGroups,
    matching: (bind) => [
      ...(search ? [nameOrSkuContains(search, bind)] : []),
      ...conditionsOf(ofProducts, scope.organizationId, bind),
    ],
    ...(areFew && { few: matches.matching }),
    total: () => countMatches(scope, request, where, matches, version[versionOf(filter)]),
  };
  return listByCompleteness(scope, { columns: LIST_COLUMNS, joined, where }, order, page, info);
}

/** Up to this number of matches, reading them by id costs less than reading the order of the list from a cursor on. */
const MAX_AMONG = 500;

const isAmong = (ids: readonly string[]) => (bind: Bind) => `r.id = any(${bind(ids)}::uuid[])`;

/** Matches of a search whose order is cached. */
const MAX_MATCHES = 5_000;
/** Bytes of all orders that a process stores. */
const BUDGET = 8_000_000;
/** Bytes of an id in the cache. */
const ID_BYTES = 64;
const ID = ['id'] as const;

interface Matches {
  version: number;
  ids: readonly string[];
}

const caches = new WeakMap<Services, SizedCache<string, Matches>>();

/**
 * The products that a search finds, in the order of the list, if there are at most 5,000. They are read once per change of the catalog,
 * because a search reads all index entries of its characters before the first match.
 * @param list name and arguments of the list, as JSON
 * @param version the version of the catalog, read before the matches; it changes with the matches and their order
 */
async function readMatches(
  scope: Scope,
  list: unknown,
  version: number,
  rows: Pick<OrderedRows<Product>, 'where' | 'matching' | 'orderBy'>,
): Promise<readonly string[] | undefined> {
  if (await hasMany(scope, list, rows)) return undefined;
  const cache = caches.get(scope.services) ?? new SizedCache<string, Matches>(BUDGET);
  caches.set(scope.services, cache);
  const key = JSON.stringify([scope.organizationId, list, rows.orderBy]);
  const known = cache.get(key);
  if (known?.version === version) return known.ids;
  const found = await readRows(scope, Product, { ...rows, columns: ID }, { limit: MAX_MATCHES + 1, offset: 0 });
  if (found.length > MAX_MATCHES) return undefined;
  const ids = found.map(({ id }) => id);
  cache.set(key, { version, ids }, 2 * key.length + 200 + ids.length * ID_BYTES);
  return ids;
}

/** Whether a list has more than 5,000 products. The answer is cached for a minute. The count has no order, which would need all matches. */
async function hasMany(
  scope: Scope,
  list: unknown,
  { where, matching }: Pick<OrderedRows<Product>, 'where' | 'matching'>,
): Promise<boolean> {
  const count = () => countRows(detached(scope), Product, { where, matching }, MAX_MATCHES + 1);
  return (await totalAt(scope, ['up to', list], Math.floor(clock.ms() / 60_000), count)) > MAX_MATCHES;
}

export const MAX_VARIANTS = 1_000;

export const attributesOf = columnReader(Product, 'attributes');
export const provenanceOf = columnReader(Product, 'provenance');
export const sourcesOf = columnReader(Product, 'userProvidedRawDataSources');

export async function variantsOf(scope: RequestScope, parentId: string, { isAgent = false } = {}): Promise<Product[]> {
  const read = scope.batch('product variants', async (ids) => {
    const matching = (bind: Bind) => `r.id in (
      select v.id from unnest(${bind(ids)}::uuid[]) as p (id) cross join lateral (
        select id from catalog.products where organization_id = ${bind(scope.organizationId)} and parent_id = p.id ${isAgent ? 'and not archived' : ''} order by sku limit ${MAX_VARIANTS}
      ) v)`;
    const found = await readRows(scope, Product, { columns: LIST_COLUMNS, joined, matching, orderBy: { sku: 'asc' } });
    return Map.groupBy(found, (each) => each.parentId!);
  });
  return (await read(parentId)) ?? [];
}

export async function parentNameOf(scope: RequestScope, { parentId }: Product): Promise<string | null> {
  return (parentId && (await scope.load(Product, parentId))?.name) || null;
}
