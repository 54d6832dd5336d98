import { setTimeout as sleep } from 'node:timers/promises';
import type { Notifications } from '../queues/index.ts';
import { detached, type Scope } from '../scope/index.ts';

/** Description of the field `isSnapshot` of an update. */
export const SNAPSHOT =
  'Whether the update shows the current state instead of changes. A subscription starts with it if `after` is missing, older than the stored changes, or no number of an update.';

/** Description of the argument `after` of a subscription that can start with a snapshot. */
export const AFTER =
  'The last `sequence` that the client received. Without it, the subscription starts with the current state. 0 starts with the first change that is stored.';

/** One numbered change of a record. */
export interface Change {
  sequence: number;
  status: string;
}

/** A table with the numbered changes of records, which subscribers follow. Notifications only trigger reads of it. */
export interface ChangeLog<C extends Change, U extends Change> {
  /** Notification channel that announces a new change by the id of its record. */
  channel: string;
  /**
   * Makes the changes of a record notify for the next 10 minutes. It locks the same row as the changes, so a read that follows sees each
   * change that did not notify. Without it, all changes notify.
   */
  watch?(scope: Scope, id: string): Promise<void>;
  /** One page of the changes after `after`, up to and including `upTo`, in order. */
  read(scope: Scope, id: string, after: number, upTo?: number): Promise<C[]>;
  /** Whether the log has each change after `after`, which is below the current number. Without it, the log keeps all changes. */
  retains?(scope: Scope, id: string, after: number): Promise<boolean>;
  /** Merges consecutive changes into updates. */
  merge(changes: C[]): Iterable<U>;
  isEnded(status: string): boolean;
  /** Whether no change will follow `seen`. */
  hasEnded(scope: Scope, id: string, seen: number): Promise<boolean>;
}

/** Maximum number of changes per read. */
export const PAGE_SIZE = 500;

/** Retries for a minute, so that subscribers survive a short database outage. */
export async function withRetry<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (tries === 60) throw error;
      await sleep(1_000);
    }
  }
}

/** Milliseconds between updates. Changes in between are merged into the next update. */
const UPDATE_INTERVAL = 100;
/** Milliseconds until a feed watches its record again; half the time that changes notify. */
const WATCH_INTERVAL = 300_000;

/** A subscriber of a feed. */
interface Listener<C, U> {
  /** Receives the changes after `from`, and the updates merged from them for subscribers that have seen exactly `from`. */
  receive(from: number, changes: C[], updates: U[]): void;
  wake(): void;
}

/** Reads the changes of one record once for all of its subscribers in this process. */
export class Feed<C extends Change, U extends Change> {
  readonly #followers = new Set<Listener<C, U>>();
  /** No further changes will follow. */
  ended = false;
  failure: unknown;
  #reading = false;
  #pending = false;
  #isWatching = false;
  readonly #renewal: NodeJS.Timeout | undefined;

  constructor(
    readonly log: ChangeLog<C, U>,
    readonly scope: Scope,
    readonly id: string,
    /** The last change that was read. */
    public seen: number,
    private readonly onEnd: () => void,
  ) {
    if (log.watch) this.#renewal = setInterval(() => this.renew(), WATCH_INTERVAL).unref();
  }

  join(follower: Listener<C, U>): void {
    this.#followers.add(follower);
  }

  leave(follower: Listener<C, U>): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.#close();
  }

  /** Signals that there may be new changes. */
  notify(): void {
    this.#pending = true;
    if (!this.#reading) void this.#read();
  }

  /** Watches the record again and reads it. The server may have lost the watch or notifications, for example in a failover. */
  renew(): void {
    this.#isWatching = false;
    this.notify();
  }

  async #watch(): Promise<void> {
    // Before the statement, so that a renewal meanwhile is not lost.
    this.#isWatching = true;
    await withRetry(async () => this.log.watch?.(this.scope, this.id));
  }

  async #read(): Promise<void> {
    this.#reading = true;
    this.#pending = false;
    try {
      if (!this.#isWatching) await this.#watch();
      const from = this.seen;
      const changes = await withRetry(() => this.log.read(this.scope, this.id, from));
      const last = changes.at(-1);
      if (last) {
        this.seen = last.sequence;
        const updates = [...this.log.merge(changes)];
        for (const follower of this.#followers) follower.receive(from, changes, updates);
      }
      if ((!last || this.log.isEnded(last.status)) && (await withRetry(() => this.log.hasEnded(this.scope, this.id, this.seen))))
        return this.#end();
      if (changes.length === PAGE_SIZE) this.#pending = true;
      setTimeout(() => {
        this.#reading = false;
        if (this.#pending && this.#followers.size > 0) void this.#read();
      }, UPDATE_INTERVAL);
    } catch (error) {
      this.failure = error;
      this.#end();
    }
  }

  #end(): void {
    this.ended = true;
    this.#close();
    for (const follower of this.#followers) follower.wake();
  }

  #close(): void {
    clearInterval(this.#renewal);
    this.onEnd();
  }
}

type AnyFeed = Feed<Change, Change>;
const feeds = new WeakMap<Notifications, Map<string, Map<string, AnyFeed>>>();

/**
 * The feed of a record in this process. It starts at the current change of the record. Starting at the number of a subscriber would delay
 * the others until that one has caught up, or wait for changes that do not exist yet.
 */
export function feedOf<C extends Change, U extends Change>(
  log: ChangeLog<C, U>,
  scope: Scope,
  id: string,
  sequence: number,
): Feed<C, U> {
  const all = feedsOf(scope.services.notifications, log.channel) as unknown as Map<string, Feed<C, U>>;
  const known = all.get(id);
  if (known) return known;
  const feed: Feed<C, U> = new Feed(log, detached(scope), id, sequence, () => all.get(id) === feed && all.delete(id));
  all.set(id, feed);
  feed.notify();
  return feed;
}

function feedsOf(notifications: Notifications, channel: string): Map<string, AnyFeed> {
  const channels = feeds.get(notifications) ?? new Map<string, Map<string, AnyFeed>>();
  feeds.set(notifications, channels);
  const known = channels.get(channel);
  if (known) return known;
  const all = new Map<string, AnyFeed>();
  channels.set(channel, all);
  notifications.on(channel, (id) => {
    if (id) return all.get(id)?.notify();
    // Notifications of any record may have been lost. Stagger the reads to spare the database.
    for (const [place, feed] of [...all.values()].entries()) setTimeout(() => feed.renew(), place / 2).unref();
  });
  return all;
}
