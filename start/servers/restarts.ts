interface Limits {
  /** Starts in a row that did not become ready before the process is given up. */
  attempts: number;
  /** Milliseconds before each restart; the last one repeats. */
  waitsMs: readonly number[];
  /** A process that was up this long starts again with the first wait. */
  steadyMs: number;
}

/** Bounded back-off between the restarts of one process. */
export class Restarts {
  #attempts = 0;
  #ends = 0;
  #startedAt = 0;

  constructor(private readonly limits: Limits) {}

  get attempts(): number {
    return this.#attempts;
  }

  begin(): void {
    this.#attempts += 1;
    this.#startedAt = Date.now();
  }

  ready(): void {
    this.#attempts = 0;
  }

  /** Call when the process ended. Milliseconds before the next start, or undefined when it failed too often. */
  next(): number | undefined {
    const { attempts, waitsMs, steadyMs } = this.limits;
    if (this.#attempts >= attempts) return undefined;
    if (Date.now() - this.#startedAt > steadyMs) this.#ends = 0;
    const wait = waitsMs[this.#ends] ?? waitsMs.at(-1);
    this.#ends += 1;
    return wait;
  }
}
