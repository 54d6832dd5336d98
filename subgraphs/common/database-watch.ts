import pg, { type Pool, type PoolClient } from 'pg';
import { log } from './log.ts';

/** Milliseconds between two looks, and after which a connection in use makes the watch ask the server for a sign of life. */
const LOOK = 1_000;
/** Looks without an answer. Counted rather than timed, because a busy event loop delays the answer as well as the timer. */
const PATIENCE = 3;

/**
 * Ends the connections in use when the server stops answering (frozen, cut off without a word), so that their statements fail within
 * seconds. The time limit of a statement is kept by the server and does not help then.
 */
export class DatabaseWatch {
  readonly #inUse = new Map<PoolClient, number>();
  readonly #timer = setInterval(() => this.#look(), LOOK).unref();
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

  #look(): void {
    if (this.#ping) {
      this.#missed += 1;
      if (this.#missed === PATIENCE) this.#giveUp();
      return;
    }
    const [longest = Number.POSITIVE_INFINITY] = this.#inUse.values();
    if (longest > Date.now() - LOOK) return;
    this.#missed = 0;
    this.#ping = this.#ask().finally(() => {
      this.#ping = undefined;
    });
  }

  /** Any answer is a sign of life, also a refusal. */
  async #ask(): Promise<void> {
    const patience = (PATIENCE + 1) * LOOK;
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: patience, query_timeout: patience });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
    } catch {
      // The connections in use notice a server that is gone by themselves.
    } finally {
      client.end().catch(() => {});
    }
  }

  #giveUp(): void {
    log.error({ connections: this.#inUse.size }, 'the database does not answer; its connections in use are ended');
    for (const client of this.#inUse.keys()) (client as unknown as pg.Client).end().catch(() => {});
  }
}
