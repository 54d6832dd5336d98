import { setImmediate, setTimeout } from 'node:timers/promises';
import { clock } from '../database/index.ts';
import type { RateLimitStore } from './store.ts';

/** The rate limit of one key after a request. */
export interface Counted {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** End of the window, in Unix seconds. */
  reset: number;
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

  async count(key: string, points = 1): Promise<Counted> {
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
