import type { Notifications } from '../../common/notifications.ts';
import { detached, type Scope } from '../../common/scope.ts';
import { hasEnded, isEnded, type JobChange, mergeChanges, PAGE_SIZE, readChanges, withRetry } from './log.ts';
import type { JobUpdate } from './types.ts';

/** Milliseconds between updates. Changes in between are merged into the next update. */
const UPDATE_INTERVAL = 100;

/** A subscriber of a feed. */
interface Listener {
  /** Receives the changes after `from`, and the updates merged from them for subscribers that have seen exactly `from`. */
  receive(from: number, changes: JobChange[], updates: JobUpdate[]): void;
  wake(): void;
}

/** Reads the changes of one job once for all of its subscribers in this process. */
export class Feed {
  readonly #followers = new Set<Listener>();
  /** No further changes will follow. */
  ended = false;
  failure: unknown;
  #reading = false;
  #pending = false;

  constructor(
    readonly scope: Scope,
    readonly jobId: string,
    /** The last change that was read. */
    public seen: number,
    private readonly onEnd: () => void,
  ) {}

  join(follower: Listener): void {
    this.#followers.add(follower);
  }

  leave(follower: Listener): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.onEnd();
  }

  /** Signals that there may be new changes. */
  notify(): void {
    this.#pending = true;
    if (!this.#reading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    this.#pending = false;
    try {
      const from = this.seen;
      const changes = await withRetry(() => readChanges(this.scope, this.jobId, from));
      const last = changes.at(-1);
      if (last) {
        this.seen = last.sequence;
        const updates = [...mergeChanges(changes)];
        for (const follower of this.#followers) follower.receive(from, changes, updates);
      }
      if ((!last || isEnded(last.status)) && (await withRetry(() => hasEnded(this.scope, this.jobId, this.seen))))
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
    this.onEnd();
    for (const follower of this.#followers) follower.wake();
  }
}

const feeds = new WeakMap<Notifications, Map<string, Feed>>();

/**
 * The feed of a job in this process. It starts at the current change of the job. Starting at the number of a subscriber would delay the
 * others until that one has caught up, or wait for changes that do not exist yet.
 */
export function feedOf(scope: Scope, jobId: string, sequence: number): Feed {
  const all = feedsOf(scope.services.notifications);
  const known = all.get(jobId);
  if (known) return known;
  const feed: Feed = new Feed(detached(scope), jobId, sequence, () => all.get(jobId) === feed && all.delete(jobId));
  all.set(jobId, feed);
  feed.notify();
  return feed;
}

function feedsOf(notifications: Notifications): Map<string, Feed> {
  const known = feeds.get(notifications);
  if (known) return known;
  const all = new Map<string, Feed>();
  feeds.set(notifications, all);
  notifications.on('job_changes', (jobId) => {
    if (jobId) return all.get(jobId)?.notify();
    // Notifications of any job may have been lost. Stagger the reads to spare the database.
    for (const [place, feed] of [...all.values()].entries()) setTimeout(() => feed.notify(), place / 2).unref();
  });
  return all;
}
