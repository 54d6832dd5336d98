import type { Registry } from './registry-database.ts';

const DAYS = 90;
const REQUESTS = `
  delete from registry.requests where ctid = any(array(
    select ctid from registry.requests where hour < now() - make_interval(days => $1) order by hour limit $2))`;
/** Each hour in which an operation runs renews it. */
const OPERATIONS = `
  delete from registry.operations where hash in (
    select hash from registry.operations where seen_at < now() - make_interval(days => $1) limit $2 for update skip locked)`;

/** No process sends a batch again after that. */
const WRITER_DAYS = 2;
const WRITERS = `
  delete from registry.writers where id in (
    select id from registry.writers where at < now() - make_interval(days => $1) limit $2 for update skip locked)`;

/** Rows of one statement. */
const BATCH = 1_000;

/** Delete counts after 90 days, in small batches, and return the number of deleted rows. Safe to run concurrently. */
export async function deleteOldUsage(registry: Registry): Promise<number> {
  let total = 0;
  for (const [statement, days] of [
    [REQUESTS, DAYS],
    [OPERATIONS, DAYS],
    [WRITERS, WRITER_DAYS],
  ] as const) {
    // A limit of time, because the table may get rows faster than a limit of rows deletes them. The next run continues.
    const end = performance.now() + BUDGET;
    let deleted: number;
    do {
      ({ rowCount: deleted } = await registry.query(statement, [days, BATCH]));
      total += deleted;
    } while (deleted === BATCH && performance.now() < end);
  }
  return total;
}

/** Milliseconds for each table. */
const BUDGET = 100_000;
