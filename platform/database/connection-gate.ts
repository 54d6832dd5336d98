import type { Pool, PoolClient } from 'pg';

type Release = (destroy?: boolean) => void;
type Callback = (error: Error | undefined, client?: PoolClient, release?: Release) => void;
type Connect = (callback: Callback) => void;

/** Refuses callers of a pool while the server does not respond; they would wait for their timeout otherwise. */
export class ConnectionGate {
  /** Callers that wait for a connection. */
  readonly #waiting = new Set<Callback>();
  #fault: Error | undefined;

  constructor(pool: Pool) {
    const connect = pool.connect.bind(pool) as Connect;
    const connectWithin: Connect = (callback) => {
      if (this.#fault) return callback(this.#fault, undefined, () => {});
      // Each caller has its own entry, even if callers share a callback.
      const waiting: Callback = (...result) => callback(...result);
      this.#waiting.add(waiting);
      connect((error, client, release) => {
        if (this.#waiting.delete(waiting)) return callback(error, client, release);
        release?.();
      });
    };
    pool.connect = ((callback?: Callback) => {
      if (callback) return connectWithin(callback);
      return new Promise<PoolClient>((resolve, reject) => {
        connectWithin((error, client) => (error ? reject(error) : resolve(client!)));
      });
    }) as Pool['connect'];
  }

  get isClosed(): boolean {
    return this.#fault !== undefined;
  }

  /** Refuse all callers with this error, also those that wait. */
  close(fault: Error): void {
    this.#fault = fault;
    const refused = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of refused) callback(fault, undefined, () => {});
  }

  open(): void {
    this.#fault = undefined;
  }
}
