import type { Pool } from 'pg';
import { deleteOld, SWEEP_BUDGET } from '../database/index.ts';

const DAYS = 90;
const REQUESTS = `
  delete from usage.requests where ctid = any(array(
    select ctid from usage.requests where hour < now() - make_interval(days => $1) order by hour limit $2))`;
/** Each hour in which an operation runs renews it. */
const OPERATIONS = `
  delete from usage.operations where hash in (
    select hash from usage.operations where seen_at < now() - make_interval(days => $1) limit $2 for update skip locked)`;

/** No process sends a batch again after that. */
const WRITER_DAYS = 2;
const WRITERS = `
  delete from usage.writers where id in (
    select id from usage.writers where at < now() - make_interval(days => $1) limit $2 for update skip locked)`;

/** Delete counts after 90 days, and return the number of deleted rows. */
export async function sweepUsage(pool: Pool): Promise<number> {
  const third = SWEEP_BUDGET / 3;
  const counts = await deleteOld(pool, REQUESTS, DAYS, third);
  return counts + (await deleteOld(pool, OPERATIONS, DAYS, third)) + (await deleteOld(pool, WRITERS, WRITER_DAYS, third));
}
