import { clock, countRows, readRows, SizedCache } from '../../../platform/database/index.ts';
import { type OrderedRows, totalAt } from '../../../platform/lists/index.ts';
import { detached, type Scope } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { Product } from './entity.ts';

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
export async function readMatches(
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
export async function hasMany(
  scope: Scope,
  list: unknown,
  { where, matching }: Pick<OrderedRows<Product>, 'where' | 'matching'>,
): Promise<boolean> {
  const count = () => countRows(detached(scope), Product, { where, matching }, MAX_MATCHES + 1);
  return (await totalAt(scope, ['up to', list], Math.floor(clock.ms() / 60_000), count)) > MAX_MATCHES;
}
