interface Limits {
  /** Maximum consecutive failed starts. */
  attempts: number;
  /** Delays before restarts, in milliseconds; the last one repeats. */
  waitsMs: readonly number[];
  /** Uptime in milliseconds that resets the delays. */
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

  /** Call when the process has exited. Returns milliseconds before the next start, or undefined after too many failures. */
  next(): number | undefined {
    const { attempts, waitsMs, steadyMs } = this.limits;
    if (this.#attempts >= attempts) return undefined;
    if (Date.now() - this.#startedAt > steadyMs) this.#ends = 0;
    const wait = waitsMs[this.#ends] ?? waitsMs.at(-1);
    this.#ends += 1;
    return wait;
  }
}
