import { EventStream } from 'compiled-gateway/event-stream';
import type { Scope } from '../scope/index.ts';
import { type Change, type ChangeLog, type Feed, feedOf, withRetry } from './progress-feed.ts';

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
