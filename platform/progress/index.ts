/** Numbers the changes of long work, so that subscribers who return miss nothing and see nothing twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStream } from 'compiled-gateway/event-stream';
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
class Feed<C extends Change, U extends Change> {
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
function feedOf<C extends Change, U extends Change>(log: ChangeLog<C, U>, scope: Scope, id: string, sequence: number): Feed<C, U> {
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

const MAX_WAITING = 50;

/**
 * One subscriber of a record. It reads the log itself until it has caught up with the feed, and then receives updates from the feed. A
 * slow subscriber detaches from the feed, which bounds its queue.
 */
class Follower<C extends Change, U extends Change> {
  readonly #queue: U[] = [];
  #live: boolean;
  #left = false;
  #wake: (() => void) | undefined;

  constructor(
    private readonly feed: Feed<C, U>,
    /** Number of the last change that was delivered or queued. */
    private seen: number,
  ) {
    this.#live = seen >= feed.seen;
    feed.join(this);
  }

  /** Waits for the next update; undefined at the end. */
  async next(): Promise<U | undefined> {
    for (;;) {
      const value = this.#queue.shift();
      if (value || this.#left) return value;
      if (this.feed.failure) throw this.feed.failure;
      if (this.seen < this.feed.seen && !this.#live) await this.#catchUp();
      else if (this.feed.ended) return undefined;
      else await this.#waitForUpdate();
    }
  }

  leave(): void {
    this.#left = true;
    this.feed.leave(this);
    this.wake();
  }

  /** Receives the changes after `from`, and the updates merged from them for subscribers that have seen exactly `from`. */
  receive(from: number, changes: C[], updates: U[]): void {
    if (!this.#live) return;
    // A client may pass a number ahead of the feed.
    const mine = this.seen === from ? updates : [...this.feed.log.merge(changes.filter(({ sequence }) => sequence > this.seen))];
    if (this.#queue.length + mine.length > MAX_WAITING && this.#queue.length > 0) {
      this.#live = false;
      return;
    }
    this.#queue.push(...mine);
    this.seen = mine.at(-1)?.sequence ?? this.seen;
    this.wake();
  }

  wake(): void {
    this.#wake?.();
  }

  #waitForUpdate(): Promise<void> {
    this.#live = true;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #catchUp(): Promise<void> {
    // The feed may read further changes meanwhile.
    const { log, scope, id, seen: upTo } = this.feed;
    const changes = await withRetry(() => log.read(scope, id, this.seen, upTo));
    this.#queue.push(...log.merge(changes));
    this.seen = changes.at(-1)?.sequence ?? upTo;
  }
}

interface Subscription<U> {
  id: string;
  /** Number of the current change of the record. */
  sequence: number;
  /** Number of the last change that the subscriber received. */
  after: number | null | undefined;
  /**
   * The state of the record at `sequence`, for a subscriber that cannot resume: its number is missing, its next change has expired, or the
   * number does not exist, for example after a restored backup. Without it, the stream then starts with the first change.
   */
  snapshot?: () => AsyncGenerator<U, void, void>;
}

/**
 * Streams all changes of a record after the given one, in order, until the log has ended. Changes are read from the log in the database,
 * and notifications only trigger reads, so a lost notification loses no change.
 */
export async function followChanges<C extends Change, U extends Change>(
  log: ChangeLog<C, U>,
  scope: Scope,
  { id, sequence, after, snapshot }: Subscription<U>,
): Promise<EventStream<U>> {
  const canResume = await resumes(log, scope, id, sequence, after);
  let state = canResume ? undefined : snapshot?.();
  const follower = new Follower(feedOf(log, scope, id, sequence), canResume ? Math.max(0, after!) : state ? sequence : 0);
  const pull = async () => {
    const page = await state?.next();
    if (page?.value) return page.value;
    state = undefined;
    return follower.next();
  };
  const stream = new EventStream(pull, () => follower.leave());
  // The subscriber may have left while the log was read.
  if (scope.signal?.aborted) stream.end();
  else scope.signal?.addEventListener('abort', () => stream.end(), { once: true });
  return stream;
}

async function resumes<C extends Change, U extends Change>(
  { retains }: ChangeLog<C, U>,
  scope: Scope,
  id: string,
  sequence: number,
  after: number | null | undefined,
): Promise<boolean> {
  if (after == null || after < 0 || after > sequence) return false;
  return after === sequence || !retains || retains(scope, id, after);
}
