import { setImmediate, setTimeout } from 'node:timers/promises';
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/** Where one request stands in its window. */
export interface Counted {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** When the window ends, in Unix seconds. */
  reset: number;
}

interface Window {
  /** Requests counted here that the store has not been told of yet. */
  waiting: number;
  /** Requests the store has been told of and has not answered yet. */
  underWay: number;
  batch?: Promise<{ last: number; size: number; resetAt: number }>;
  /** The highest number the store gave, and when its window ends. */
  consumed: number;
  resetAt: number;
}

const REMEMBERED = 10_000;
/** Milliseconds that counts are gathered for while the limit is far. */
const TOGETHER = 50;
/** Limits from here on are for callers whose rate makes the wait for the store worth saving. */
const LARGE = 10_000;

/**
 * Counts requests across processes, exactly: what arrives while one count is on its way is counted together. Only under a large
 * limit, and in its first half, a caller does not wait for the store; then what other processes counted meanwhile is not seen.
 */
export class RateLimit {
  readonly #windows = new Map<string, Window>();

  constructor(private readonly store: RateLimiterAbstract) {}

  async count(key: string): Promise<Counted> {
    const limit = this.store.points;
    const window = this.#window(key);
    window.waiting += 1;
    const position = window.waiting;
    const ahead = window.consumed + window.underWay + window.waiting;
    const isFar = limit >= LARGE && window.resetAt > Date.now() && ahead < limit / 2;
    window.batch ??= this.#tell(key, window, isFar);

    if (isFar) {
      window.batch.catch(() => {});
      return { allowed: true, limit, remaining: limit - ahead, reset: Math.ceil(window.resetAt / 1000) };
    }
    const { last, size, resetAt } = await window.batch;
    const mine = last - size + position;
    return { allowed: mine <= limit, limit, remaining: Math.max(limit - mine, 0), reset: Math.ceil(resetAt / 1000) };
  }

  async #tell(key: string, window: Window, isFar: boolean): Promise<{ last: number; size: number; resetAt: number }> {
    // Nobody waits for it while the limit is far.
    await (isFar ? setTimeout(TOGETHER, undefined, { ref: false }) : setImmediate());
    const size = window.waiting;
    window.waiting = 0;
    window.batch = undefined;
    window.underWay += size;
    // A refusal is an answer too: it says how many were counted.
    const { consumedPoints, msBeforeNext } = await this.store
      .consume(key, size)
      .catch((refusal: RateLimiterRes | Error) => {
        if (refusal instanceof Error) throw refusal;
        return refusal;
      })
      .finally(() => {
        window.underWay -= size;
      });
    // Answers may overtake each other.
    window.consumed = window.resetAt > Date.now() ? Math.max(window.consumed, consumedPoints) : consumedPoints;
    window.resetAt = Date.now() + msBeforeNext;
    return { last: consumedPoints, size, resetAt: window.resetAt };
  }

  #window(key: string): Window {
    const known = this.#windows.get(key);
    if (known) return known;
    if (this.#windows.size >= REMEMBERED) this.#evict();
    const window = { waiting: 0, underWay: 0, consumed: 0, resetAt: 0 };
    this.#windows.set(key, window);
    return window;
  }

  /** Drop the oldest window without a count under way. The store knows the counts, so nothing is lost; the work is bounded. */
  #evict(): void {
    let looked = 0;
    for (const [name, { batch, underWay }] of this.#windows) {
      if (!batch && underWay === 0) return void this.#windows.delete(name);
      if (++looked === 100) return;
    }
  }
}
