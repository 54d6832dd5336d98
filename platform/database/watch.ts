import { setImmediate } from 'node:timers/promises';
import pg, { type Pool, type PoolClient } from 'pg';
import { log } from '../telemetry/index.ts';
import { type ConnectCallback, partsOf, wrapConnect } from './patches/pg.ts';

/** Milliseconds between two checks, and the time in use after which a connection triggers a ping. */
const INTERVAL = 1_000;
/**
 * Checks without a response to the ping, and without any byte on the connections in use. Counted, not timed, because a busy event loop
 * delays responses and timers alike.
 */
const MAX_MISSED = 3;

interface Addresses {
  /** The address of the pool. */
  url: string;
  /** The address of the server itself, if `url` is a connection pooler. */
  directUrl: string;
}

/**
 * Detects that the server stopped responding (frozen, or cut off from the network). It closes the connections in use and refuses new
 * ones until the server responds, so that statements fail within seconds. The server itself enforces statement timeouts, so they do not
 * help in this case. It also closes single connections that are lost.
 */
export class DatabaseWatch {
  readonly #inUse = new Map<PoolClient, number>();
  readonly #received = new WeakMap<PoolClient, number>();
  readonly #timer = setInterval(() => this.#check(), INTERVAL).unref();
  readonly #gate: ConnectionGate;
  readonly #stalled: StalledConnections;
  #ping: Promise<void> | undefined;
  #missed = 0;

  constructor(
    pool: Pool,
    private readonly addresses: Addresses,
  ) {
    this.#gate = new ConnectionGate(pool);
    this.#stalled = new StalledConnections(addresses.directUrl, addresses.url !== addresses.directUrl);
    pool.on('acquire', (client) => {
      this.#inUse.set(client, performance.now());
      this.#receivesMore(client);
    });
    pool.on('release', (_, client) => this.#inUse.delete(client));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    this.#stalled.check(this.#inUse.keys());
    // A busy process may read large results before the response to the ping.
    const receives = [...this.#inUse.keys()].filter((client) => this.#receivesMore(client)).length > 0;
    if (this.#ping) {
      this.#missed = receives ? 0 : this.#missed + 1;
      if (this.#missed === MAX_MISSED && !this.#gate.isClosed) this.#refuse();
      return;
    }
    const [oldest = Number.POSITIVE_INFINITY] = this.#inUse.values();
    if (!this.#gate.isClosed && oldest > performance.now() - INTERVAL) return;
    this.#missed = 0;
    this.#ping = this.#sendPings().finally(() => {
      this.#ping = undefined;
    });
  }

  /** Whether bytes arrived on a connection since the last call. */
  #receivesMore(client: PoolClient): boolean {
    const { bytesRead } = partsOf(client).connection.stream;
    const before = this.#received.get(client) ?? bytesRead;
    this.#received.set(client, bytesRead);
    return bytesRead > before;
  }

  async #sendPings(): Promise<void> {
    const { url, directUrl } = this.addresses;
    // A statement in a pooler could wait for one of its busy sessions, so only the server itself gets one.
    const pings = url === directUrl ? [ping(url, true)] : [ping(url, false), ping(directUrl, true)];
    const areAlive = await Promise.all(pings);
    if (!areAlive.every(Boolean) || !this.#gate.isClosed) return;
    log.info('Database responds again');
    this.#gate.open();
  }

  #refuse(): void {
    log.error({ connections: this.#inUse.size }, 'Database does not respond; closing its connections in use');
    this.#gate.close(Object.assign(new Error('The database does not respond'), { code: 'ETIMEDOUT' }));
    for (const client of this.#inUse.keys()) (client as unknown as pg.Client).end().catch(() => {});
  }
}

/** Whether the server responds. Any response, even an error, proves that it does. */
async function ping(url: string, withStatement: boolean): Promise<boolean> {
  const timeout = (MAX_MISSED + 1) * INTERVAL;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeout, query_timeout: timeout });
  client.on('error', () => {});
  try {
    await client.connect();
    if (withStatement) await client.query('select 1');
    return true;
  } catch (error) {
    // The connections in use detect by themselves that the server closed them.
    return !/timeout|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/i.test((error as Error).message);
  } finally {
    client.end().catch(() => {});
  }
}

/** Refuses callers of a pool while the server does not respond; they would wait for their timeout otherwise. */
class ConnectionGate {
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
class StalledConnections {
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
