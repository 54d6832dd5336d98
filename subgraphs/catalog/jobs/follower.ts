import type { Feed } from './feed.ts';
import { fold, type JobChange, patiently, readChanges } from './log.ts';
import type { JobUpdate } from './types.ts';

const MOST_WAITING = 50;

/**
 * One subscriber of a job. It reads the log alone until it is where the feed is, and then takes what the feed reads; a slow
 * one lets go of the feed, so that what waits for it is never more than a few updates.
 */
export class Follower {
  readonly #queue: JobUpdate[] = [];
  #live: boolean;
  #left = false;
  #wake: (() => void) | undefined;

  constructor(
    private readonly feed: Feed,
    /** The last change it was given. */
    private seen: number,
  ) {
    this.#live = seen >= feed.seen;
    feed.join(this);
  }

  /** Waits for the next update; undefined when no more will come. */
  async next(): Promise<JobUpdate | undefined> {
    for (;;) {
      const value = this.#queue.shift();
      if (value || this.#left) return value;
      if (this.feed.failure) throw this.feed.failure;
      if (this.seen < this.feed.seen && !this.#live) await this.#catchUp();
      else if (this.feed.ended) return undefined;
      else await this.#news();
    }
  }

  leave(): void {
    this.#left = true;
    this.feed.leave(this);
    this.wake();
  }

  /** What the feed has read: changes behind `from`, and the updates they make for who has seen just that. */
  hear(from: number, changes: JobChange[], updates: JobUpdate[]): void {
    if (!this.#live) return;
    // The number a subscriber names may lie ahead of the feed.
    const mine = this.seen === from ? updates : [...fold(changes.filter(({ sequence }) => sequence > this.seen))];
    if (this.#queue.length + mine.length > MOST_WAITING && this.#queue.length > 0) {
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

  #news(): Promise<void> {
    this.#live = true;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #catchUp(): Promise<void> {
    const { scope, jobId } = this.feed;
    const changes = await patiently(() => readChanges(scope, jobId, this.seen, this.feed.seen));
    this.#queue.push(...fold(changes));
    this.seen = changes.at(-1)?.sequence ?? this.feed.seen;
  }
}
