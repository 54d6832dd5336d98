import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isUnavailable } from '../platform/database/index.ts';
import { log } from '../platform/telemetry/index.ts';

/** Milliseconds until the workflow repeats an activity that gave up waiting for the database. */
export const AFTER_OUTAGE = 30_000;
/** Milliseconds that an activity waits for the database; shorter than its timeout. */
const PATIENCE = 8 * 60_000;
const INTERVAL = 2_000;
/** Outages that one attempt may meet. Work that crashes the database each time must end. */
const MAX_OUTAGES = 20;

/**
 * Runs `work`, and again after each outage of the database, so that an outage costs no attempt. Returns undefined if an outage lasts
 * longer than an activity may wait; the workflow then repeats the activity. Other errors are thrown.
 */
export async function acrossOutages<T>(pool: Pool, work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const end = performance.now() + PATIENCE;
  for (let outages = 0; ; outages += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || outages >= MAX_OUTAGES || !isUnavailable(error)) throw error;
      // The error may belong to another service, or to a statement that takes too long.
      if (await isAnswering(pool)) throw error;
      log.warn({ err: error }, 'The database is unavailable; waiting for it');
      for (;;) {
        if (performance.now() > end) return undefined;
        await sleep(INTERVAL, undefined, { signal });
        if (await isAnswering(pool)) break;
      }
    }
  }
}

/** Whether the database accepts writes again. During a failover, the former primary may only accept reads. */
async function isAnswering(pool: Pool): Promise<boolean> {
  try {
    const { rows } = await pool.query<{ writable: boolean }>(`select current_setting('transaction_read_only') = 'off' as writable`);
    return rows[0]!.writable;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return false;
  }
}
