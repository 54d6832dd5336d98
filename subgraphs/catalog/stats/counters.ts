import { readRows } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { Counter, type CounterKind } from './entity.ts';

const COLUMNS = ['key', 'count', 'sum'] as const;

export interface Count {
  count: number;
  sum: number;
}

/** The counters of a kind by key. At most 16 rows per key are read. */
export async function countersOf(scope: Scope, kind: CounterKind, keys?: string[]): Promise<Map<string, Count>> {
  const counts = new Map<string, Count>();
  for (const { key, count, sum } of await readRows(scope, Counter, {
    columns: COLUMNS,
    where: { kind, ...(keys && { key: keys }) },
  })) {
    const known = counts.get(key) ?? { count: 0, sum: 0 };
    counts.set(key, { count: known.count + count, sum: known.sum + sum });
  }
  return counts;
}
