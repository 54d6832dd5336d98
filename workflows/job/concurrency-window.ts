import type { ItemResult } from './activities.ts';

/** A round must take this many milliseconds before the window grows: more lanes do not speed up a fast provider. */
const SLOW_ROUND = 1_000;

/** Pauses after the attempts that the provider throttles, in milliseconds: about eight minutes in total. */
const PAUSES = [250, 750, 2_000, 6_000, 20_000, 60_000, 120_000, 120_000, 120_000];

/** Milliseconds to wait after this many throttled attempts, or undefined after the last. The provider can only lengthen a pause. */
export function pauseAfter(attempt: number, waitMs = 0): number | undefined {
  const pause = PAUSES[attempt - 1];
  return pause === undefined ? undefined : Math.max(pause, waitMs);
}

interface Bounds {
  /** Concurrency at the start. */
  initial: number;
  /** Maximum concurrency. */
  limit: number;
  /** Concurrency up to which the window also grows while the provider is fast. */
  usual?: number;
}

/** Rounds without growth after a growth that did not help. */
const HOLD = 8;
/** Share of a growth by which the rate must rise. A provider that queues requests stays as slow as before. */
const GAIN = 0.25;
/** Growth from which on the rate is judged. The rate of a round varies by more than a small growth raises it. */
const JUDGED = 1.5;

/**
 * Concurrency of a job, adapted as TCP does it. A round is as many completions as the window is wide. The window doubles after each slow
 * round until the provider throttles or the rate stops rising. Then it shrinks, at most once per round, and grows by an eighth. Up to the
 * usual concurrency, it grows with each item whose worker has room for another one.
 */
export class ConcurrencyWindow {
  size: number;
  #running = 0;
  #completed = 0;
  /** Completions of the round whose worker had room for another item. */
  #roomy = 0;
  /** Attempts of the round that began with its size. */
  #timed = { count: 0, ms: 0 };
  #startedAt = Date.now();
  #isCautious = false;
  #holds = 0;
  /** The window and the completions per millisecond before the growth that has not been judged. */
  #before?: { size: number; rate: number };
  /** Attempts from before the last cut. Their results say nothing about the smaller window. */
  #outdated = 0;

  constructor(
    readonly bounds: Bounds,
    size = bounds.initial,
  ) {
    this.size = Math.min(size, bounds.limit);
  }

  get isFull(): boolean {
    return this.#running >= this.size;
  }

  /** Runs one attempt, and adapts the window to its result. */
  async run(attempt: () => Promise<ItemResult>): Promise<ItemResult> {
    this.#running += 1;
    const { size } = this;
    const startedAt = Date.now();
    try {
      const result = await attempt();
      const ms = this.size === size ? Date.now() - startedAt : undefined;
      if (result.throttled) {
        if (!result.throttled.isPaced) this.#shrink();
      } else if (!result.interrupted) this.complete(result, ms);
      return result;
    } finally {
      this.#running -= 1;
    }
  }

  /**
   * Counts a completed item, and adapts the size at the end of each round.
   * @param ms duration of an attempt that began with the present size
   */
  complete({ mayGrow, crowded = false, share }: ItemResult, ms?: number): void {
    const { usual = 0 } = this.bounds;
    this.#completed += 1;
    if (mayGrow) this.#roomy += 1;
    if (ms !== undefined) this.#timed = { count: this.#timed.count + 1, ms: this.#timed.ms + ms };
    if (mayGrow && !this.#isCautious && this.size < usual) this.size += 1;
    if (this.#completed < this.size) return;
    if (crowded) this.#makeRoom(share);
    // The rate of a round that the workers limited is not that of the provider.
    else if (2 * this.#roomy < this.#completed) this.#before = undefined;
    else this.#judge();
    this.#startRound();
  }

  #judge(): void {
    const { limit, usual } = this.bounds;
    const { size } = this;
    // Items that waited in the workers end in bursts, so their own duration says more than that of the round.
    const elapsed = this.#timed.count > 0 ? this.#timed.ms / this.#timed.count : Date.now() - this.#startedAt;
    const rate = size / Math.max(1, elapsed);
    const before = this.#before;
    const isJudged = before !== undefined && size >= before.size * JUDGED;
    if (isJudged) this.#before = undefined;
    if (isJudged && rate < before.rate * (1 + GAIN * (size / before.size - 1))) this.#revert(before.size);
    else if (this.#holds > 0) this.#holds -= 1;
    else this.#grow(rate, elapsed >= SLOW_ROUND ? limit : usual);
  }

  /** Other jobs wait for the workers. */
  #makeRoom(share = 0.5): void {
    const { initial, limit } = this.bounds;
    const reduced = Math.floor(this.size * share);
    this.size = Math.min(this.size, Math.max(reduced, Math.ceil(initial / 4)), limit);
    this.#isCautious = true;
    this.#before = undefined;
  }

  #grow(rate: number, limit = 0): void {
    const { size } = this;
    if (size >= limit) return;
    const step = this.#isCautious ? Math.ceil(size / 8) : size;
    this.size = Math.min(limit, size + step);
    this.#before ??= { size, rate };
  }

  #revert(size: number): void {
    this.size = size;
    this.#isCautious = true;
    this.#holds = HOLD;
  }

  #shrink(): void {
    if (this.#outdated > 0) {
      this.#outdated -= 1;
      return;
    }
    const outdated = this.#running - 1;
    this.#isCautious = true;
    this.#before = undefined;
    this.size = Math.max(1, Math.floor(this.size / 2));
    this.#startRound();
    this.#outdated = outdated;
  }

  #startRound(): void {
    this.#completed = 0;
    this.#roomy = 0;
    this.#timed = { count: 0, ms: 0 };
    this.#outdated = 0;
    this.#startedAt = Date.now();
  }
}

export interface Lanes {
  /** Resolves when no lane runs, and rejects when a step fails. */
  ended: Promise<void>;
  /** Opens lanes until there are `width()`. Those without work end immediately. */
  open(): void;
}

/** Repeats `step` in `width()` concurrent lanes. The width may change meanwhile. A lane ends when its step returns false. */
export function openLanes(width: () => number, step: () => Promise<boolean>): Lanes {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let count = 0;

  const open = () => {
    while (count < width()) {
      count += 1;
      lane().catch(reject);
    }
  };
  const lane = async () => {
    try {
      while (count <= width() && (await step())) open();
    } finally {
      count -= 1;
      if (count === 0) resolve();
    }
  };
  open();
  if (count === 0) resolve();
  return { ended, open };
}
