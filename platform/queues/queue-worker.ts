import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '../telemetry/index.ts';
import type { Notifications } from './notifications.ts';

interface QueueOptions<T> {
  /** Used in log lines. */
  name: string;
  /** Items that this process works on at a time. */
  width: number;
  /**
   * Lease due items, at most one per free slot. It is called again while it fills at least half of the slots. `active` are the items that
   * this process works on.
   */
  claim(free: number, active: readonly T[]): Promise<T[]>;
  /** Work on one item. When it rejects, the lease expires and the item becomes due again. */
  work(item: T): Promise<void>;
  notifications: Notifications;
  /** Notification channel that announces new items. */
  channel: string;
  /** Milliseconds between two polls of the queue without a notification. */
  interval: number;
  /** Renew the leases of items in progress. Runs at each interval. */
  renew?(active: readonly T[]): Promise<unknown>;
}

/**
 * Processes a queue in a PostgreSQL table, `width` items at a time, from construction until `close`. Each item has its own slot, so a slow
 * or failing item does not delay the others.
 */
export class QueueWorker<T> {
  readonly #active = new Map<T, Promise<void>>();
  readonly #stopListening: () => void;
  readonly #timer: NodeJS.Timeout;
  #filling: Promise<void> | undefined;
  #isStale = false;
  #isClosed = false;

  constructor(private readonly options: QueueOptions<T>) {
    this.#stopListening = options.notifications.on(options.channel, () => void this.fill());
    this.#timer = setInterval(() => void this.#tick(), options.interval);
    void this.fill();
  }

  /** Number of items that this process works on. */
  get size(): number {
    return this.#active.size;
  }

  /** Claim due items while there are free slots. Resolves after the queue has been read since this call. Never rejects. */
  async fill(): Promise<void> {
    this.#isStale = true;
    this.#filling ??= this.#fill();
    await this.#filling;
  }

  /** Wait until an item ends, at most `timeout` milliseconds. Resolves to false on timeout. */
  async next(timeout: number): Promise<boolean> {
    const timer = new AbortController();
    const timedOut = sleep(timeout, false, { signal: timer.signal }).catch(() => false);
    const ended = await Promise.race([timedOut, ...[...this.#active.values()].map((each) => each.then(() => true))]);
    timer.abort();
    return ended;
  }

  /** Stop claiming items, and wait up to `grace` milliseconds for the items in progress. */
  async close(grace: number): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    clearInterval(this.#timer);
    // A statement that claims items may be stuck, too.
    const ended = async () => {
      await this.#filling;
      await Promise.all(this.#active.values());
    };
    await Promise.race([ended(), sleep(grace, undefined, { ref: false })]);
  }

  async #tick(): Promise<void> {
    const { renew, name } = this.options;
    const active = [...this.#active.keys()];
    if (active.length > 0)
      await renew?.(active).catch((error: unknown) => log.warn({ err: error }, `${name}: failed to renew the leases`));
    await this.fill();
  }

  async #fill(): Promise<void> {
    const { width, claim, name } = this.options;
    // Yield, so that `fill` has assigned `#filling` before the loop can end.
    await undefined;
    while (this.#isStale && !this.#isClosed && this.#active.size < width) {
      this.#isStale = false;
      try {
        const free = width - this.#active.size;
        const items = await claim(free, [...this.#active.keys()]);
        for (const item of items) this.#start(item);
        if (items.length >= free / 2) this.#isStale = true;
      } catch (error) {
        log.warn({ err: error }, `${name}: failed to read the queue`);
      }
    }
    // Must run synchronously after the last check of `#isStale`, or a concurrent call of `fill` would be lost.
    this.#filling = undefined;
  }

  #start(item: T): void {
    const { work, name } = this.options;
    const working = work(item)
      .catch((error: unknown) => log.warn({ err: error }, `${name}: an item failed and will be retried`))
      .finally(() => {
        this.#active.delete(item);
        void this.fill();
      });
    this.#active.set(item, working);
  }
}

/** Bounds of an exponential back-off, in milliseconds. */
export interface Backoff {
  /** Delay after the first failure; each further failure doubles it. */
  shortest: number;
  longest: number;
}

/** Larger exponents exceed every useful delay and approach infinity. */
const LARGEST_EXPONENT = 40;

/** Milliseconds to wait after this many consecutive failures, starting at 1. */
export function delayAfter(failures: number, { shortest, longest }: Backoff): number {
  const exponent = Math.min(Math.max(failures - 1, 0), LARGEST_EXPONENT);
  return Math.min(shortest * 2 ** exponent, longest);
}

/** Maximum of the PostgreSQL type `integer`. */
const LARGEST_INTEGER = 2_147_483_647;

/** SQL that increments an `integer` column and stays at the largest value instead of overflowing. */
export const increment = (column: string) => `least(${column}, ${LARGEST_INTEGER - 1}) + 1`;
