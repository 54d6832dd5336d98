import type { PoolClient } from 'pg';
import { database } from './seed.ts';
import { until } from './until.ts';

const BLOCKED = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';

type Step = (rival: PoolClient) => Promise<unknown>;

/**
 * Run a request while another transaction has made its changes. Once the request waits for it, or has ended, the transaction runs `last` and
 * commits.
 */
export async function duringTransaction<T>(change: Step, request: () => Promise<T>, last?: Step, on = database()): Promise<T> {
  const rival = await on.connect();
  try {
    await rival.query('begin');
    await change(rival);
    const { pid } = (await rival.query('select pg_backend_pid() as pid')).rows[0];
    let hasEnded = false;
    const running = request().finally(() => {
      hasEnded = true;
    });
    running.catch(() => {});
    await until(async () => hasEnded || (await on.query(BLOCKED, [pid])).rows.length > 0);
    await last?.(rival);
    await rival.query('commit');
    return await running;
  } finally {
    rival.release(true);
  }
}
