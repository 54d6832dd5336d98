import type { Feed } from './feed.ts';
import { type JobChange, mergeChanges, readChanges, withRetry } from './log.ts';
import type { JobUpdate } from './types.ts';

const MAX_WAITING = 50;

/**
 * One subscriber of a job. It reads the log itself until it has caught up with the feed, and then receives updates from the feed. A
 * slow subscriber detaches from the feed, which bounds its queue.
 */
export class Follower {
  readonly #queue: JobUpdate[] = [];
  #live: boolean;
  #left = false;
  #wake: (() => void) | undefined;

  constructor(
    private readonly feed: Feed,
    /** Number of the last change that was delivered or queued. */
    private seen: number,
  ) {
    this.#live = seen >= feed.seen;
    feed.join(this);
  }

  /** Waits for the next update; undefined at the end. */
  async next(): Promise<JobUpdate | undefined> {
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
  receive(from: number, changes: JobChange[], updates: JobUpdate[]): void {
    if (!this.#live) return;
    // A client may pass a number ahead of the feed.
    const mine = this.seen === from ? updates : [...mergeChanges(changes.filter(({ sequence }) => sequence > this.seen))];
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
    const { scope, jobId } = this.feed;
    const changes = await withRetry(() => readChanges(scope, jobId, this.seen, this.feed.seen));
    this.#queue.push(...mergeChanges(changes));
    this.seen = changes.at(-1)?.sequence ?? this.feed.seen;
  }
}
