import type { ItemResult } from './activities.ts';

/** A round must take this many milliseconds before the window grows: more lanes do not speed up a fast provider. */
const SLOW_ROUND = 1_000;

interface Bounds {
  /** Concurrency at the start. */
  initial: number;
  /** Maximum concurrency. */
  limit: number;
}

/**
 * Concurrency of a job, adapted as TCP does it. A round is as many completions as the window is wide. The window doubles after each slow
 * round until the provider throttles. Then it halves, at most once per round, and grows by an eighth.
 */
export class Window {
  #running = 0;
  #completed = 0;
  #startedAt = Date.now();
  #wasThrottled = false;
  /** Attempts from before the last cut. Their results say nothing about the smaller window. */
  #outdated = 0;

  constructor(
    readonly bounds: Bounds,
    public size = bounds.initial,
  ) {}

  get isFull(): boolean {
    return this.#running >= this.size;
  }

  /** Runs one attempt, and adapts the window to its result. Histories of earlier versions contain no results. */
  async run(attempt: () => Promise<ItemResult | undefined>): Promise<ItemResult | undefined> {
    this.#running += 1;
    try {
      const result = await attempt();
      if (result?.throttled) this.#shrink();
      else if (result) this.#complete(result.mayGrow);
      return result;
    } finally {
      this.#running -= 1;
    }
  }

  #complete(mayGrow: boolean): void {
    this.#completed += 1;
    if (this.#completed < this.size) return;
    const step = this.#wasThrottled ? Math.ceil(this.size / 8) : this.size;
    const isSlow = Date.now() - this.#startedAt >= SLOW_ROUND;
    if (mayGrow && isSlow) this.size = Math.max(this.size, Math.min(this.bounds.limit, this.size + step));
    this.#startRound();
  }

  #shrink(): void {
    if (this.#outdated > 0) {
      this.#outdated -= 1;
      return;
    }
    const outdated = this.#running - 1;
    this.#wasThrottled = true;
    this.size = Math.max(1, Math.floor(this.size / 2));
    this.#startRound();
    this.#outdated = outdated;
  }

  #startRound(): void {
    this.#completed = 0;
    this.#outdated = 0;
    this.#startedAt = Date.now();
  }
}
