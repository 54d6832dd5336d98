import type { Pool } from 'pg';
import { deleteOld } from '../../../platform/database/index.ts';

/** Days to keep the record of a call. */
const DAYS = 90;

const INTERRUPTED = `
  update agent.tool_calls set status = 'failed', error = 'The process was interrupted during the call.'
   where status = 'running' and created_at < now() - interval '5 minutes'`;

const EXPIRED = `
  delete from agent.tool_calls where id in (
    select id from agent.tool_calls where created_at < now() - interval '1 day' * $1 order by created_at limit $2 for update skip locked)`;

/** Fail calls whose process was killed, and delete old records. Returns the number of deleted records. Safe to run concurrently. */
export async function sweepCalls(pool: Pool): Promise<number> {
  await pool.query(INTERRUPTED);
  return deleteOld(pool, EXPIRED, DAYS);
}
