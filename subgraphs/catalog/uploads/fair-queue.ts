import { forbidInTransaction } from '../../common/database/transactions.ts';

interface Waiting {
  owner: string;
  enter(): void;
}

/** Limits concurrency globally, and to one per owner, so that an owner with much work leaves room for the others. */
export class FairQueue {
  readonly #running = new Set<string>();
  readonly #waiting: Waiting[] = [];

  constructor(private readonly limit: number) {}

  /** Runs `work` when the owner has a free slot. Rejects with the reason of the signal if it aborts first. */
  async run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    forbidInTransaction('A queue');
    await this.#enter(owner, signal);
    try {
      return await work();
    } finally {
      this.#running.delete(owner);
      this.#next();
    }
  }

  #enter(owner: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal?.reason);
      };
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { owner, enter };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiting);
      this.#next();
    });
  }

  #next(): void {
    const at = this.#running.size < this.limit ? this.#waiting.findIndex(({ owner }) => !this.#running.has(owner)) : -1;
    const [first] = at === -1 ? [] : this.#waiting.splice(at, 1);
    if (!first) return;
    this.#running.add(first.owner);
    first.enter();
  }
}
