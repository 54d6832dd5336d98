import type { Pool } from 'pg';

/** Rows per statement and statements per sweep. The next sweep continues. */
const [BATCH, MAX_BATCHES] = [1_000, 100];

/**
 * Delete old rows in small batches, and return their number. Safe to run concurrently.
 * @param statement deletes at most `$2` rows that are older than `$1` days
 */
export async function deleteOld(pool: Pool, statement: string, days: number): Promise<number> {
  let total = 0;
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    const { rowCount } = await pool.query(statement, [days, BATCH]);
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) break;
  }
  return total;
}
