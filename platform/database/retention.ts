import type { Pool } from 'pg';

/** Rows per statement. */
const BATCH = 1_000;
/** Milliseconds of a sweep. A limit of rows would let tables grow that get more rows than that. The next sweep continues. */
export const SWEEP_BUDGET = 300_000;

/**
 * Delete old rows in small batches, and return their number. Safe to run concurrently.
 * @param budget milliseconds
 * @param statement deletes at most `$2` rows that are older than `$1` days
 */
export async function deleteOld(pool: Pool, statement: string, days: number, budget = SWEEP_BUDGET): Promise<number> {
  const end = performance.now() + budget;
  let total = 0;
  do {
    const { rowCount } = await pool.query(statement, [days, BATCH]);
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) break;
  } while (performance.now() < end);
  return total;
}
