import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { log } from '../telemetry/index.ts';

/** A table with weekly partitions by its column `at`. */
export interface PartitionedTable {
  name: `${string}.${string}`;
  /** Days to keep a row. It is deleted within the week after, because whole weeks are dropped. */
  days: number;
}

/** Weeks of partitions that exist ahead, so that inserts do not depend on the schedule. Rows of later times go to the default partition. */
const WEEKS_AHEAD = 4;
/** Tries for the locks of a change, and milliseconds between them. Each waits half a second, during which statements queue behind it. */
const [ATTEMPTS, PAUSE] = [5, 2_000];

const ADD = `select identity.add_partition($1, now() + interval '${WEEKS_AHEAD} weeks') as changed`;
const DROP = `select identity.drop_partition($1, now() - interval '1 day' * $2) as changed`;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Add the partitions of the next weeks and drop expired ones. Returns the number of dropped partitions. Safe to run concurrently. A change
 * whose locks stay taken is left to the next run.
 */
export async function maintainPartitions(pool: Pool, { name, days }: PartitionedTable): Promise<number> {
  await repeat(pool, ADD, [name]);
  return repeat(pool, DROP, [name, days]);
}

/** Repeats a statement until it changes nothing, and returns the number of changes. */
async function repeat(pool: Pool, statement: string, values: unknown[]): Promise<number> {
  let changes = 0;
  for (let attempt = 1; ; ) {
    try {
      if (!(await pool.query(statement, values)).rows[0].changed) return changes;
      changes += 1;
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      if (attempt === ATTEMPTS) {
        log.info({ table: values[0] }, 'The partitions of a table are in use; changing them later');
        return changes;
      }
      attempt += 1;
      await wait(PAUSE);
    }
  }
}

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
