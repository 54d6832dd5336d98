import type { Notifications } from '../../common/notifications.ts';
import { detached, type Scope } from '../../common/scope.ts';
import { fold, hasEnded, isEnded, type JobChange, PAGE, patiently, readChanges } from './log.ts';
import type { JobUpdate } from './types.ts';

/** At most ten updates a second: what happens in between is folded into the next. */
const BREATH = 100;

/** A subscriber of a feed. */
interface Listener {
  /** Takes the changes after `from`, and the updates they make for a subscriber that has seen exactly `from`. */
  hear(from: number, changes: JobChange[], updates: JobUpdate[]): void;
  wake(): void;
}

/** Reads the changes of one job for all its subscribers in this process, each once. */
export class Feed {
  readonly #followers = new Set<Listener>();
  /** Nothing more will come. */
  ended = false;
  failure: unknown;
  #reading = false;
  #rung = false;

  constructor(
    readonly scope: Scope,
    readonly jobId: string,
    /** The last change that was read. */
    public seen: number,
    private readonly onOver: () => void,
  ) {}

  join(follower: Listener): void {
    this.#followers.add(follower);
  }

  leave(follower: Listener): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.onOver();
  }

  /** There may be something new. */
  ring(): void {
    this.#rung = true;
    if (!this.#reading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    this.#rung = false;
    try {
      const from = this.seen;
      const changes = await patiently(() => readChanges(this.scope, this.jobId, from));
      const last = changes.at(-1);
      if (last) {
        this.seen = last.sequence;
        const updates = [...fold(changes)];
        for (const follower of this.#followers) follower.hear(from, changes, updates);
      }
      if ((!last || isEnded(last.status)) && (await patiently(() => hasEnded(this.scope, this.jobId, this.seen))))
        return this.#end();
      if (changes.length === PAGE) this.#rung = true;
      setTimeout(() => {
        this.#reading = false;
        if (this.#rung && this.#followers.size > 0) void this.#read();
      }, BREATH);
    } catch (error) {
      this.failure = error;
      this.#end();
    }
  }

  #end(): void {
    this.ended = true;
    this.onOver();
    for (const follower of this.#followers) follower.wake();
  }
}

const feeds = new WeakMap<Notifications, Map<string, Feed>>();

/**
 * The feed of a job in this process. It begins with the present change of the job, never with a number that a subscriber names: that one
 * would keep the others waiting for what it missed, or for changes that do not exist yet.
 */
export function feedOf(scope: Scope, jobId: string, sequence: number): Feed {
  const all = feedsOf(scope.services.notifications);
  const known = all.get(jobId);
  if (known) return known;
  const feed: Feed = new Feed(detached(scope), jobId, sequence, () => all.get(jobId) === feed && all.delete(jobId));
  all.set(jobId, feed);
  feed.ring();
  return feed;
}

function feedsOf(notifications: Notifications): Map<string, Feed> {
  const known = feeds.get(notifications);
  if (known) return known;
  const all = new Map<string, Feed>();
  feeds.set(notifications, all);
  notifications.on('job_changes', (jobId) => {
    if (jobId) return all.get(jobId)?.ring();
    // Something may have been missed, of any job: not all at once, or nobody else would get at the database.
    for (const [place, feed] of [...all.values()].entries()) setTimeout(() => feed.ring(), place / 2).unref();
  });
  return all;
}
