import { setTimeout as sleep } from 'node:timers/promises';
import { type Migration, Migrator } from '@mikro-orm/migrations';
import {
  ArrayType,
  type Constructor,
  type EntityClass,
  EntityManager,
  type EventSubscriber,
  MikroORM,
  type TransactionEventArgs,
} from '@mikro-orm/postgresql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import pg from 'pg';
import type { Caller } from '../scope/index.ts';
import { log } from '../telemetry/index.ts';
import { followClock } from './clock.ts';
import { FairConnections } from './fair-connections.ts';
import { quietAborted } from './patches/kysely.ts';
import { wrapQuery } from './patches/pg.ts';
import { PoolerClient, usePooler } from './pooler.ts';
import { tracePool } from './statements.ts';
import { guardPool } from './transactions.ts';
import { DatabaseWatch } from './watch.ts';

/** The database of a process: the ORM for entities, and the pool for plain SQL (rate limits, queues). */
export interface Database {
  orm: MikroORM;
  pool: Pool;
  /** The address of the server itself, for sessions: notifications, session locks, and migrations. */
  directUrl: string;
  /** Whether the pool reaches the server through a connection pooler in transaction mode. */
  isPooled: boolean;
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** Maximum connections of the pool. */
  connections?: number;
  /** The address of the server itself, if `url` is a connection pooler in transaction mode. */
  directUrl?: string;
}

/** The entities of a feature and the migrations that create their tables, in the order of their numbers. */
export interface Tables {
  entities: EntityClass<unknown>[];
  migrations: { name: string; class: Constructor<Migration> }[];
}

/** Milliseconds that a request waits for a connection, and for a lock that another request holds. */
const WAIT_TIMEOUT = 10_000;

/** Options of a session. Poolers reject them, because sessions are shared, so the pooler must set them. */
const sessionOptions = {
  // Fail before callers time out, and detect lost connections.
  statement_timeout: 30_000,
  lock_timeout: WAIT_TIMEOUT,
  // A process that hangs must release its locks.
  idle_in_transaction_session_timeout: 30_000,
};

export async function openDatabase(
  url: string,
  tables: Tables[],
  { connections = 20, directUrl = url }: DatabaseOptions = {},
): Promise<Database> {
  const isPooled = directUrl !== url;
  let pool: Pool | undefined;
  let watch: DatabaseWatch | undefined;
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: tables.flatMap((each) => each.entities),
    extensions: [Migrator],
    subscribers: [ActorSubscriber],
    migrations: {
      migrationsList: tables.flatMap((each) => each.migrations).map(untimed),
      // One transaction for all would keep the locks of the first migration until the last one ends.
      allOrNothing: false,
      tableName: 'migrations',
      snapshot: false,
      disableForeignKeys: false,
    },
    pool: { max: connections },
    entityManager: AbortableEntityManager,
    onCreateConnection: quietAborted,
    driverOptions: {
      // The ORM reads no parameters of the URL, such as `sslmode`.
      connectionString: url,
      ...(isPooled ? { Client: PoolerClient } : sessionOptions),
      // Applies to the wait for a free connection of the pool and to a new connection.
      connectionTimeoutMillis: WAIT_TIMEOUT,
      ...keepAlive,
      onPoolCreated: (created: Pool) => {
        if (isPooled) usePooler(created);
        else prepareNamed(created);
        new FairConnections(created, WAIT_TIMEOUT);
        tracePool(created);
        guardPool(created);
        releaseLostConnections(created);
        watch = new DatabaseWatch(created, { url, directUrl });
        pool = created;
      },
    },
    forceUtcTimezone: true,
    logger: (message) => log.debug(message),
    discovery: {
      warnWhenNoEntities: false,
      onMetadata: ({ properties }) => {
        for (const property of Object.values(properties)) if (property.type === 'array') property.customType = new TextArray();
      },
    },
  });
  await orm.connect();
  if (isPooled) await checkSession(pool!);
  const unfollowClock = await followClock(pool!);
  const close = async () => {
    unfollowClock();
    watch?.close();
    await orm.close(true);
  };
  return { orm, pool: pool!, directUrl, isPooled, close };
}

/** Without timeouts, a statement or an idle transaction could hold locks and a session of the pooler forever. */
async function checkSession(pool: Pool): Promise<void> {
  const names = Object.keys(sessionOptions);
  const unset = `select name from unnest($1::text[]) name where current_setting(name) in ('0', '0ms')`;
  const { rows } = await pool.query<{ name: string }>(unset, [names]);
  if (rows.length === 0) return;
  const settings = Object.entries(sessionOptions).map(([name, value]) => `set ${name} = ${value}`);
  const missing = rows.map(({ name }) => name);
  log.warn({ missing, connectQuery: settings.join('; ') }, 'The connection pooler does not set the timeouts of its sessions');
}

/**
 * A migration that may take longer than the statements of requests. It fails when a table stays locked for five seconds, because requests queue
 * behind its own lock; the next start runs it again.
 */
const untimed = ({ name, class: Base }: Tables['migrations'][number]): Tables['migrations'][number] => ({
  name,
  class: class extends Base {
    override async up(): Promise<void> {
      if (this.isTransactional()) this.addSql(`set local statement_timeout = 0; set local lock_timeout = '5s'`);
      await Base.prototype.up.call(this);
    }
  },
});

/** Run the pending migrations, each in its own transaction, and return their names. Concurrent processes are safe: one migrates and the others wait. */
export async function migrate({ orm, directUrl }: Pick<Database, 'orm' | 'directUrl'>): Promise<string[]> {
  // Not from the pool, whose only connection the migrations may need.
  const client = new pg.Client({
    connectionString: directUrl,
    ...keepAlive,
    ...{ connectionTimeoutMillis: WAIT_TIMEOUT, query_timeout: WAIT_TIMEOUT },
  });
  client.on('error', (err) => log.warn({ err }, 'Lost the connection that holds the migration lock'));
  await client.connect();
  try {
    // Polls, because an index that is built concurrently waits for every running statement, including one that waits for the lock.
    while (!(await client.query(`select pg_try_advisory_lock(hashtext('migrations')) as locked`)).rows[0].locked) await sleep(100);
    return (await orm.migrator.up()).map(({ name }) => name);
  } finally {
    // The end of the session releases the lock.
    await client.end();
  }
}

/** MikroORM passes the signal of a fork only to its own statements. */
class AbortableEntityManager extends EntityManager {
  get abortOptions() {
    return this.getAbortOptions();
  }
}

const abortOptionsOf = (em: EntityManager) => (em as AbortableEntityManager).abortOptions;

/** Run SQL with bound values in the transaction of the entity manager. The caller must restrict it to the organization. */
export async function query<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T[]> {
  const { rows } = await statement.execute(em.getKysely(), abortOptionsOf(em));
  return rows;
}

/** Like `query`, for frequent statements: each connection parses and plans them once. Their text must not depend on the values. */
export async function queryPrepared<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T[]> {
  const kysely = em.getKysely();
  const compiled = statement.compile(kysely);
  nameOf(compiled.sql);
  const { rows } = await kysely.executeQuery(compiled, abortOptionsOf(em));
  return rows;
}

/** Serialize transactions by name until the commit, so that a count that they read stays valid. */
export async function lockName(em: EntityManager, name: string): Promise<void> {
  await query(em, sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

/** Wait for `lockName` of the same name, but not for other shared locks. */
export async function lockNameShared(em: EntityManager, name: string): Promise<void> {
  await query(em, sql`select pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`);
}

export { sql };

/** Text arrays. MikroORM quotes them as JSON, whose escapes PostgreSQL reads differently: a line break becomes the letter n. */
class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(value: string[] | null): string {
    // Null passes through, although MikroORM types the result as a string.
    return (value && `{${value.map(quote).join(',')}}`) as string;
  }
}

const quote = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;

/**
 * Return lost connections to the pool. The query builder releases the connection of a transaction only after a successful rollback. So a
 * connection that is lost in a transaction would occupy a place of the pool forever.
 */
function releaseLostConnections(pool: Pool): void {
  const listeners = new WeakMap<PoolClient, () => void>();
  pool.on('acquire', (client: PoolClient) => {
    const onEnd = () => {
      const { release } = client;
      // The pool rejects a second release, which follows when the holder notices the loss later.
      client.release = () => {};
      release.call(client, true);
    };
    listeners.set(client, onEnd);
    client.once('end', onEnd);
  });
  pool.on('release', (_, client: PoolClient) => {
    const onEnd = listeners.get(client);
    if (onEnd) client.off('end', onEnd);
  });
}

const names = new Map<string, string>();
/** Each connection keeps all of its prepared statements, so their number is limited. */
const MAX_NAMES = 1_000;

/** The name by which connections prepare a statement once. Undefined for further statements when there are too many. */
export function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size === MAX_NAMES) return known;
  const name = `statement ${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** Lets the connections of a pool prepare the statements of the query builder that have a name. Call it before the first connection. */
const prepareNamed = (pool: Pool): void =>
  wrapQuery(pool, (query) => (statement, ...rest) => {
    const name = typeof statement === 'string' ? names.get(statement) : undefined;
    return name === undefined ? query(statement, ...rest) : query({ name, text: statement as string }, ...rest);
  });

/**
 * Options of every long-lived connection to PostgreSQL. After ten seconds without data the system probes the peer every second, and closes
 * the connection after ten missing responses. The default of Linux is two hours.
 */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** The author of the changes of a transaction, for the audit log. */
interface Actor {
  actor: 'user' | 'operator';
  user: string | null;
  key: string | null;
  session: string | null;
}

const PARAMETER = 'actor';

/** Attribute all later changes of an entity manager and its forks to a caller. Without an actor, the system made them. */
export function setActor(em: EntityManager, { userId, keyId, sessionId, operator, isAgent }: Caller): void {
  if (isAgent) return;
  const isPerson = !operator;
  const actor: Actor = {
    actor: isPerson ? 'user' : 'operator',
    // Organizations do not learn who an operator is.
    user: isPerson ? userId : null,
    key: isPerson && !sessionId ? keyId : null,
    session: sessionId ?? null,
  };
  em.setFilterParams(PARAMETER, actor);
}

/** Attribute the later changes of the current transaction to the user for whom a job works. */
export async function actFor(em: EntityManager, userId: string): Promise<void> {
  const actor: Actor = { actor: 'user', user: userId, key: null, session: null };
  await setInTransaction(em.getKysely() as Kysely<unknown>, JSON.stringify(actor));
}

const setInTransaction = (transaction: Kysely<unknown>, actor: string) =>
  sql`select set_config('audit.actor', ${actor}, true)`.execute(transaction);

/** The author of the changes of an entity manager as JSON; undefined if the system makes them. */
export function actorOf(em: EntityManager): string | undefined {
  const actor = em.getFilterParams<Actor | never>(PARAMETER);
  return actor && JSON.stringify(actor);
}

/** Tells PostgreSQL at the start of a transaction who makes its changes. Triggers record it with them. */
class ActorSubscriber implements EventSubscriber {
  async afterTransactionStart({ em, transaction }: TransactionEventArgs): Promise<void> {
    const actor = actorOf(em as EntityManager);
    // A savepoint inherits the setting of its transaction.
    if (!actor || !transaction || 'savepointName' in transaction) return;
    await setInTransaction(transaction as Kysely<unknown>, actor);
  }
}
