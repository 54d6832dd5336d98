/** Limits requests per minute, counted in the database for all processes. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import type { Pool } from 'pg';
import { clock } from '../database/index.ts';
import { log } from '../telemetry/index.ts';

/** The rate limit of one key after a request. */
export interface RateCount {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** End of the window, in Unix seconds. */
  reset: number;
}

/** Throws `RATE_LIMITED` with the seconds to wait, if a request was one too many. */
export function refuseBeyond({ allowed, reset }: Pick<RateCount, 'allowed' | 'reset'>, requests: string): void {
  if (allowed) return;
  const retryAfter = Math.max(1, reset - Math.ceil(clock.ms() / 1_000));
  throw new GraphQLError(`Too many ${requests}. Please wait a moment.`, { extensions: { code: 'RATE_LIMITED', retryAfter } });
}

interface Window {
  /** Requests that are not yet sent to the store. */
  pending: number;
  /** Requests sent to the store, without a response yet. */
  inFlight: number;
  batch?: Promise<{ last: number; size: number; endsAt: number }>;
  /** The highest count that the store returned, and the end of its window by the monotonic clock. */
  consumed: number;
  endsAt: number;
}

const MAX_WINDOWS = 10_000;
/** Milliseconds for which counts are batched while the limit is far. */
const BATCH_DELAY = 50;
/** From this limit on, callers skip the wait for the store while the limit is far. */
const LARGE_LIMIT = 10_000;

/**
 * Counts requests exactly across processes, and batches requests that arrive at the same time. In the first half of a large limit,
 * callers do not wait for the store, so they do not see the latest counts of other processes.
 */
export class RateLimit {
  readonly #windows = new Map<string, Window>();

  constructor(private readonly store: RateLimitStore) {}

  async count(key: string, points = 1): Promise<RateCount> {
    const { limit } = this.store;
    const window = this.#window(key);
    window.pending += points;
    const position = window.pending;
    const ahead = window.consumed + window.inFlight + window.pending;
    const isFar = limit >= LARGE_LIMIT && window.endsAt > performance.now() && ahead < limit / 2;
    window.batch ??= this.#flush(key, window, isFar);

    if (isFar) {
      window.batch.catch(() => {});
      return { allowed: true, limit, remaining: limit - ahead, reset: resetOf(window.endsAt) };
    }
    const { last, size, endsAt } = await window.batch;
    const mine = last - size + position;
    return { allowed: mine <= limit, limit, remaining: Math.max(limit - mine, 0), reset: resetOf(endsAt) };
  }

  async #flush(key: string, window: Window, isFar: boolean): Promise<{ last: number; size: number; endsAt: number }> {
    // No caller waits for this batch while the limit is far.
    await (isFar ? setTimeout(BATCH_DELAY, undefined, { ref: false }) : setImmediate());
    const size = window.pending;
    window.pending = 0;
    window.batch = undefined;
    window.inFlight += size;
    const { points, remainingMs } = await this.store.consume(key, size).finally(() => {
      window.inFlight -= size;
    });
    // Responses may arrive out of order.
    window.consumed = window.endsAt > performance.now() ? Math.max(window.consumed, points) : points;
    window.endsAt = performance.now() + remainingMs;
    return { last: points, size, endsAt: window.endsAt };
  }

  #window(key: string): Window {
    const known = this.#windows.get(key);
    if (known) return known;
    if (this.#windows.size >= MAX_WINDOWS) this.#evict();
    const window = { pending: 0, inFlight: 0, consumed: 0, endsAt: 0 };
    this.#windows.set(key, window);
    return window;
  }

  /** Drop the oldest idle window, among the first 100. The store has its count, so nothing is lost. */
  #evict(): void {
    let checked = 0;
    for (const [name, { batch, inFlight }] of this.#windows) {
      if (!batch && inFlight === 0) return void this.#windows.delete(name);
      if (++checked === 100) return;
    }
  }
}

/** Unix seconds of a time of the monotonic clock. */
const resetOf = (endsAt: number): number => Math.ceil((clock.ms() + endsAt - performance.now()) / 1_000);

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
