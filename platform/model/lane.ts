import type { Pace } from './pace.ts';

/** A request that waits for its turn. */
export interface Waiting {
  organizationId: string;
  grant(): void;
}

/** Milliseconds after which a lane sends a request before all chats, so that jobs never stop. */
const YIELD_LIMIT = 10_000;

/** The requests of jobs to one model. Organizations take turns, and those with fewer requests at the provider come first. */
export class Lane {
  running = 0;
  waiting = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  readonly #running = new Map<string, number>();
  /** By organization; the one that was served last is the last. */
  readonly #queues = new Map<string, Waiting[]>();

  constructor(readonly pace: Pace) {}

  /** Whether requests wait, and none has been sent for long. */
  get isLate(): boolean {
    return this.waiting > 0 && this.running === 0 && performance.now() - this.#lastAt > YIELD_LIMIT;
  }

  add(request: Waiting): void {
    const queue = this.#queues.get(request.organizationId);
    if (queue) queue.push(request);
    else this.#queues.set(request.organizationId, [request]);
    this.waiting += 1;
  }

  /** Removes a request whose caller gave up. */
  remove(request: Waiting): void {
    const queue = this.#queues.get(request.organizationId);
    const at = queue?.indexOf(request) ?? -1;
    if (at < 0) return;
    queue!.splice(at, 1);
    if (queue!.length === 0) this.#queues.delete(request.organizationId);
    this.waiting -= 1;
  }

  /**
   * Takes the next request that may be sent.
   * @param yields whether a chat waits for the provider
   */
  next(yields: boolean): Waiting | undefined {
    const { size, queues } = this.pace;
    // Only a provider that queues makes a chat wait.
    const isYielding = yields && queues !== false;
    if (this.running >= (isYielding ? Math.floor(size / 2) : queues ? size : 2 * size) && !this.isLate) return undefined;
    let first: string | undefined;
    for (const organizationId of this.#queues.keys())
      if (first === undefined || this.#of(organizationId) < this.#of(first)) first = organizationId;
    // Until the provider is known to queue, organizations that begin do not wait for a large one.
    if (first === undefined || (!isYielding && this.#of(first) >= size)) return undefined;
    const queue = this.#queues.get(first)!;
    const request = queue.shift()!;
    this.#queues.delete(first);
    if (queue.length > 0) this.#queues.set(first, queue);
    this.waiting -= 1;
    return request;
  }

  begin({ organizationId }: Waiting): void {
    this.running += 1;
    this.#running.set(organizationId, this.#of(organizationId) + 1);
    this.#lastAt = performance.now();
  }

  end({ organizationId }: Waiting): void {
    this.running -= 1;
    const left = this.#of(organizationId) - 1;
    if (left > 0) this.#running.set(organizationId, left);
    else this.#running.delete(organizationId);
  }

  #of(organizationId: string): number {
    return this.#running.get(organizationId) ?? 0;
  }
}
