import { columns, hidden, SizedCache, type StoredCount, Table, Tenant } from '../database/index.ts';
import type { Scope } from '../scope/index.ts';
import type { Services } from '../subgraph/index.ts';

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
