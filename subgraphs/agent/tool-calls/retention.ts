import type { Pool } from 'pg';

/** Days to keep the record of a call. */
const DAYS = 90;
/** Records per statement and statements per sweep. The next sweep continues. */
const [BATCH, MAX_BATCHES] = [1_000, 100];

const INTERRUPTED = `
  update agent.tool_calls set status = 'failed', error = 'The process was interrupted during the call.'
   where status = 'running' and created_at < now() - interval '5 minutes'`;

const EXPIRED = `
  delete from agent.tool_calls where id in (
    select id from agent.tool_calls where created_at < now() - interval '1 day' * $1 order by created_at limit $2 for update skip locked)`;

/** Fail calls whose process was killed, and delete old records. Returns the number of deleted records. Safe to run concurrently. */
export async function sweepCalls(pool: Pool, days = DAYS): Promise<number> {
  await pool.query(INTERRUPTED);
  let total = 0;
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    const { rowCount } = await pool.query(EXPIRED, [days, BATCH]);
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) break;
  }
  return total;
}
