import type { Pool } from 'pg';
import { type ConnectCallback, wrapConnect } from './patches/pg.ts';

/** Refuses callers of a pool while the server does not respond; they would wait for their timeout otherwise. */
export class ConnectionGate {
  /** Callers that wait for a connection. */
  readonly #waiting = new Set<ConnectCallback>();
  #fault: Error | undefined;

  constructor(pool: Pool) {
    wrapConnect(pool, (connect) => (callback) => {
      if (this.#fault) return callback(this.#fault, undefined, () => {});
      // Each caller has its own entry, even if callers share a callback.
      const waiting: ConnectCallback = (...result) => callback(...result);
      this.#waiting.add(waiting);
      connect((error, client, release) => {
        if (this.#waiting.delete(waiting)) return callback(error, client, release);
        release?.();
      });
    });
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
