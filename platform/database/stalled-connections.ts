import { setImmediate } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { log } from '../telemetry/index.ts';
import { partsOf } from './patches/pg.ts';

/** Checks during which nothing arrived until a statement is suspect. Counted, because a busy event loop delays responses, too. */
const SUSPECT = 6;
/** Checks of which a statement may spend that many before the server runs it: in transit, and with a pooler in its queue. */
const TRANSIT = 3;
const QUEUE = 10;
const TIMEOUT = 4_000;
/** Characters that identify a statement. The server stores only its first 1,024 bytes. */
const PREFIX = 200;

/** Indexes of the statements that the server does not run. Sessions of another user, such as that of a pooler, hide their statements. */
const NOT_RUNNING = `
  select n::int - 1 as at from unnest($1::text[], $2::int[]) with ordinality suspect(text, age, n)
   where not exists (
     select 1 from pg_stat_activity a
      where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'
        and (a.state = 'disabled' or $3 and a.query = '<insufficient privilege>'
             or a.state = 'active' and starts_with(a.query, suspect.text) and a.query_start <= now() - make_interval(secs => suspect.age)
                and a.wait_event is distinct from 'ClientWrite'))`;

interface Statement {
  query: object;
  bytesRead: number;
  /** Checks during which nothing arrived. */
  checks: number;
}

/**
 * Closes connections that lost a statement or its response without being closed, for example because a firewall dropped their state. They
 * would occupy a place of the pool forever. A statement is lost if the server runs no statement with its text.
 */
export class StalledConnections {
  readonly #statements = new WeakMap<PoolClient, Statement>();
  #isChecking = false;

  /**
   * @param url the address of the server itself
   * @param isPooled whether statements may wait in a connection pooler
   */
  constructor(
    private readonly url: string,
    private readonly isPooled: boolean,
  ) {}

  /** Check the connections in use. Call it every second. */
  check(inUse: Iterable<PoolClient>): void {
    const suspects = [...inUse].filter((client) => this.#isSuspect(client));
    if (suspects.length === 0 || this.#isChecking) return;
    this.#isChecking = true;
    this.#closeStalled(suspects)
      .catch(() => {})
      .finally(() => {
        this.#isChecking = false;
      });
  }

  get #transit(): number {
    return TRANSIT + (this.isPooled ? QUEUE : 0);
  }

  #isSuspect(client: PoolClient): boolean {
    const { _activeQuery: query, connection } = partsOf(client);
    if (!query?.text) {
      this.#statements.delete(client);
      return false;
    }
    const { bytesRead } = connection.stream;
    const known = this.#statements.get(client);
    const isSame = known?.query === query && known.bytesRead === bytesRead;
    const checks = isSame ? known.checks + 1 : 0;
    this.#statements.set(client, { query, bytesRead, checks });
    return checks >= SUSPECT - TRANSIT + this.#transit;
  }

  async #closeStalled(suspects: readonly PoolClient[]): Promise<void> {
    const before = suspects.map((client) => this.#statements.get(client)!);
    const texts = before.map(({ query }) => (query as { text: string }).text.slice(0, PREFIX).toWellFormed());
    const ages = before.map(({ checks }) => checks - this.#transit);
    const stalled = await this.#notRunning(texts, ages);
    // Read the other sockets first: a response may have arrived together with this one.
    await setImmediate();
    for (const at of stalled) {
      const { _activeQuery, connection } = partsOf(suspects[at]!);
      const { query, bytesRead, checks } = before[at]!;
      if (_activeQuery !== query || connection.stream.bytesRead !== bytesRead) continue;
      log.warn({ checks }, 'Closing a connection to the database that lost a statement or its response');
      connection.stream.destroy(Object.assign(new Error('The connection to the database is lost'), { code: 'ETIMEDOUT' }));
    }
  }

  async #notRunning(texts: string[], ages: number[]): Promise<number[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: TIMEOUT, query_timeout: TIMEOUT });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<{ at: number }>(NOT_RUNNING, [texts, ages, this.isPooled])).rows.map(({ at }) => at);
    } finally {
      client.end().catch(() => {});
    }
  }
}
