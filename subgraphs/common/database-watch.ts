import pg, { type Pool, type PoolClient } from 'pg';
import { log } from './log.ts';

/** Milliseconds between two checks, and the time in use after which a connection triggers a ping. */
const INTERVAL = 1_000;
/** Checks without a response to the ping. Counted, not timed, because a busy event loop delays responses and timers alike. */
const MAX_MISSED = 3;

/**
 * Closes the connections in use when the server stops responding (frozen, or cut off from the network), so that their statements fail
 * within seconds. The server itself enforces statement timeouts, so they do not help in this case.
 */
export class DatabaseWatch {
  readonly #inUse = new Map<PoolClient, number>();
  readonly #timer = setInterval(() => this.#check(), INTERVAL).unref();
  #ping: Promise<void> | undefined;
  #missed = 0;

  constructor(
    pool: Pool,
    private readonly url: string,
  ) {
    pool.on('acquire', (client) => this.#inUse.set(client, Date.now()));
    pool.on('release', (_, client) => this.#inUse.delete(client));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    if (this.#ping) {
      this.#missed += 1;
      if (this.#missed === MAX_MISSED) this.#endConnections();
      return;
    }
    const [longest = Number.POSITIVE_INFINITY] = this.#inUse.values();
    if (longest > Date.now() - INTERVAL) return;
    this.#missed = 0;
    this.#ping = this.#sendPing().finally(() => {
      this.#ping = undefined;
    });
  }

  /** Any response, even an error, proves that the server is alive. */
  async #sendPing(): Promise<void> {
    const timeout = (MAX_MISSED + 1) * INTERVAL;
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: timeout, query_timeout: timeout });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
    } catch {
      // The connections in use detect by themselves that the server closed them.
    } finally {
      client.end().catch(() => {});
    }
  }

  #endConnections(): void {
    log.error({ connections: this.#inUse.size }, 'Database does not respond; closing its connections in use');
    for (const client of this.#inUse.keys()) (client as unknown as pg.Client).end().catch(() => {});
  }
}
