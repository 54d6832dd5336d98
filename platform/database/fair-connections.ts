import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import { type Connect, type ConnectCallback, wrapConnect } from './patches/pg.ts';

const current = new AsyncLocalStorage<string | undefined>();

/**
 * Run `work` for an owner, such as an organization, whose statements take turns with those of other owners. Work without an owner is that of the
 * process itself.
 */
export const onBehalfOf = <T>(owner: string | undefined, work: () => T): T => current.run(owner, work);

interface Waiting {
  connect: Connect;
  callback: ConnectCallback;
  since: number;
  timer: NodeJS.Timeout;
}

/** The part of a pool that one owner may use. The rest is free for others, also while its transactions wait for a lock. */
const SHARE = 0.75;

/**
 * Divides the connections of a pool fairly: the next free one is for the owner that uses the fewest, and among equals for the one that waits
 * longest. The pool itself has one queue, in which one owner with many requests would delay all others.
 */
export class FairConnections {
  readonly #inUse = new Map<string | undefined, number>();
  readonly #waiting = new Map<string | undefined, Waiting[]>();
  readonly #owners = new WeakMap<PoolClient, { owner: string | undefined }>();
  readonly #most: number;
  #free: number;

  /** @param timeout milliseconds that a request waits for its turn */
  constructor(
    pool: Pool,
    private readonly timeout: number,
  ) {
    this.#free = pool.options.max;
    this.#most = Math.ceil(this.#free * SHARE);
    wrapConnect(pool, (connect) => (callback) => this.#request(connect, callback));
    pool.on('release', (_, client) => {
      const used = this.#owners.get(client);
      if (used && this.#owners.delete(client)) this.#end(used.owner);
    });
  }

  #request(connect: Connect, callback: ConnectCallback): void {
    const owner = current.getStore();
    if (this.#free > 0 && this.#mayUse(owner)) return void this.#begin(owner, connect, callback);
    const queue = this.#waiting.get(owner) ?? [];
    const timer = setTimeout(() => {
      queue.splice(queue.indexOf(waiting), 1);
      callback(new Error('timeout exceeded when trying to connect'), undefined, () => {});
    }, this.timeout);
    const waiting = { connect, callback, since: performance.now(), timer };
    queue.push(waiting);
    this.#waiting.set(owner, queue);
  }

  #mayUse(owner: string | undefined): boolean {
    return owner === undefined || this.#used(owner) < this.#most;
  }

  #used = (owner: string | undefined): number => this.#inUse.get(owner) ?? 0;

  #begin(owner: string | undefined, connect: Connect, callback: ConnectCallback): void {
    this.#free -= 1;
    this.#inUse.set(owner, this.#used(owner) + 1);
    connect((error, client, release) => {
      if (client) this.#owners.set(client, { owner });
      else this.#end(owner);
      callback(error, client, release);
    });
  }

  #end(owner: string | undefined): void {
    this.#free += 1;
    const used = this.#used(owner) - 1;
    if (used > 0) this.#inUse.set(owner, used);
    else this.#inUse.delete(owner);
    this.#next();
  }

  #next(): void {
    let [first, least, since]: [string | undefined, number, number] = [undefined, Number.POSITIVE_INFINITY, 0];
    for (const [owner, queue] of this.#waiting) {
      const [head] = queue;
      if (!head) this.#waiting.delete(owner);
      else if (this.#mayUse(owner)) {
        const used = this.#used(owner);
        if (used < least || (used === least && head.since < since)) [first, least, since] = [owner, used, head.since];
      }
    }
    if (least === Number.POSITIVE_INFINITY) return;
    const { connect, callback, timer } = this.#waiting.get(first)!.shift()!;
    clearTimeout(timer);
    this.#begin(first, connect, callback);
  }
}
