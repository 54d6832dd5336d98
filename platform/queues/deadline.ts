/**
 * Aborts its signal after a time, or together with another signal. Call `end` when the work is done. `AbortSignal.timeout` would retain
 * the references of its listeners until the time is over. A worker would then hold the memory of all calls of the last minutes.
 */
export class Deadline {
  /** Whether the time is over. */
  hasPassed = false;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #other: AbortSignal | undefined;

  constructor(milliseconds: number, other?: AbortSignal) {
    this.#timer = setTimeout(() => this.#pass(), milliseconds).unref();
    this.#other = other;
    if (other?.aborted) this.handleEvent();
    else other?.addEventListener('abort', this);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Handles the abort event of the other signal. */
  handleEvent(): void {
    this.end();
    this.#controller.abort(this.#other!.reason);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#other?.removeEventListener('abort', this);
  }

  #pass(): void {
    this.end();
    this.hasPassed = true;
    this.#controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }
}
