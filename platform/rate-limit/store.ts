import type { Pool } from 'pg';
import { log } from '../telemetry/index.ts';

/** Points of a window so far, and the milliseconds until it ends. */
interface Consumed {
  points: number;
  remainingMs: number;
}

const WINDOW_MS = 60_000;
/** Concurrent statements may write in another order than they read the clock. */
const TOLERANCE_MS = 1_000;
/** Milliseconds between two deletions of expired windows. */
const CLEANUP_MS = 5 * 60_000;

/**
 * Only the clock of the database counts: a process whose clock jumps could otherwise open windows of an hour for all processes. A window
 * that ends later than a new one would is expired, too, because then the clock of the database jumped.
 */
const CONSUME = `
  insert into identity.rate_limits as w (key, points, expire)
  select $1::text, $2::int, moment.now + ${WINDOW_MS} from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now) moment
  on conflict (key) do update set
    points = case when w.expire > excluded.expire - ${WINDOW_MS} and w.expire <= excluded.expire + ${TOLERANCE_MS}
             then least(w.points::bigint + excluded.points, 2147483647)::int else excluded.points end,
    expire = case when w.expire > excluded.expire - ${WINDOW_MS} and w.expire <= excluded.expire + ${TOLERANCE_MS} then w.expire else excluded.expire end
  returning points, greatest(expire - (extract(epoch from clock_timestamp()) * 1000)::bigint, 0)::int as "remainingMs"`;

const CLEAN_UP = `
  delete from identity.rate_limits
   where expire < (extract(epoch from now() - interval '1 hour') * 1000)::bigint
      or expire > (extract(epoch from now() + interval '1 hour') * 1000)::bigint`;

/** Counts points per key and minute, across processes. */
export class RateLimitStore {
  /** @param limit points per minute */
  constructor(
    private readonly pool: Pool,
    private readonly prefix: string,
    readonly limit: number,
  ) {}

  async consume(key: string, points: number): Promise<Consumed> {
    const values = [`${this.prefix}:${key}`, points];
    const { rows } = await this.pool.query<Consumed>({ name: 'consume points', text: CONSUME, values });
    return rows[0]!;
  }
}

/** Delete expired windows regularly, until the returned function is called. */
export function cleanUpWindows(pool: Pool): () => void {
  const timer = setInterval(() => {
    pool.query(CLEAN_UP).catch((error: unknown) => log.warn({ err: error }, 'Failed to delete expired rate limits'));
  }, CLEANUP_MS).unref();
  return () => clearInterval(timer);
}
