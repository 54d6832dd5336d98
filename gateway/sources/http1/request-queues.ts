import type { Exchange } from './exchange.ts';

/** Requests that wait for a connection, in one queue for each owner. */
export class RequestQueues {
  /** The first owner has the next turn. */
  readonly #queues = new Map<string | undefined, Set<Exchange>>();
  #size = 0;

  /** @param max number of requests; an owner has at most half of those that others leave */
  constructor(private readonly max: number) {}

  get size(): number {
    return this.#size;
  }

  /** Add a request. Returns false when the queue of its owner is full. */
  add(exchange: Exchange): boolean {
    const queue = this.#queues.get(exchange.owner) ?? new Set();
    if (queue.size >= this.max - this.#size) return false;
    this.#queues.set(exchange.owner, queue.add(exchange));
    this.#size += 1;
    return true;
  }

  /** Add a request before the others of its owner. */
  addFirst(exchange: Exchange): void {
    this.#queues.set(exchange.owner, new Set([exchange, ...(this.#queues.get(exchange.owner) ?? [])]));
    this.#size += 1;
  }

  delete(exchange: Exchange): boolean {
    const queue = this.#queues.get(exchange.owner);
    if (!queue?.delete(exchange)) return false;
    this.#size -= 1;
    if (queue.size === 0) this.#queues.delete(exchange.owner);
    return true;
  }

  /** Take the first request of the next owner that may start one. */
  take(mayStart: (owner: string | undefined) => boolean): Exchange | undefined {
    for (const [owner, queue] of this.#queues) {
      if (!mayStart(owner)) continue;
      const [first] = queue;
      this.#queues.delete(owner);
      this.#queues.set(owner, queue);
      this.delete(first!);
      return first;
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<Exchange> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}
