import { type Migration, Migrator } from '@mikro-orm/migrations';
import { type Constructor, type EntityClass, type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { RawBuilder } from 'kysely';
import pg, { type Pool } from 'pg';
import { abortOptionsOf, endCancelled } from './cancellation.ts';
import { DatabaseWatch } from './database-watch.ts';
import { log } from './log.ts';
import { TextArray } from './text-array.ts';
import { guardPool } from './transactions.ts';

/** What a process needs of the database: the mapper for changes, the pool for what is no entity (limits, notifications). */
export interface Database {
  orm: MikroORM;
  pool: Pool;
  url: string;
  close(): Promise<void>;
}

/** A folder of a subgraph that brings tables: its entities and the migrations that make them, oldest first. */
export interface Tables {
  entities: EntityClass<unknown>[];
  migrations: { name: string; class: Constructor<Migration> }[];
}

/** Milliseconds a request waits for a connection before it is answered `UNAVAILABLE`, and for a lock of another one. */
const PATIENCE = 10_000;

export async function openDatabase(url: string, tables: Tables[], { connections = 20 } = {}): Promise<Database> {
  let pool: Pool | undefined;
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: tables.flatMap((each) => each.entities),
    extensions: [Migrator],
    migrations: {
      migrationsList: tables.flatMap((each) => each.migrations),
      tableName: 'migrations',
      snapshot: false,
      disableForeignKeys: false,
    },
    pool: { max: connections },
    onCreateConnection: endCancelled,
    driverOptions: {
      // A caller is answered before it gives up; a lost connection is noticed.
      statement_timeout: 30_000,
      // For a free connection of the pool as well as for a new one.
      connectionTimeoutMillis: PATIENCE,
      lock_timeout: PATIENCE,
      // A process that hangs must not hold its locks forever.
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
      onPoolCreated: (made: Pool) => {
        guardPool(made);
        pool = made;
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
  const watch = new DatabaseWatch(pool!, url);
  const close = async () => {
    watch.close();
    await orm.close(true);
  };
  return { orm, pool: pool!, url, close };
}

/** Bring the tables up to date. Several processes may call it at once: one migrates, the others wait for it. */
export async function migrate({ orm, url }: Database): Promise<string[]> {
  // Not from the pool, which may have just the one connection that the migrations need.
  const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: PATIENCE });
  client.on('error', (err) => log.warn({ err }, 'the connection that holds the migration lock was lost'));
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtext('migrations'))`);
    return (await orm.migrator.up()).map(({ name }) => name);
  } finally {
    // The lock ends with its session.
    await client.end();
  }
}

/** Rows of SQL with bound values, in the transaction of the entity manager. Who writes it binds the organization. */
export async function query<T>(em: EntityManager, statement: RawBuilder<T>): Promise<T[]> {
  const { rows } = await statement.execute(em.getKysely(), abortOptionsOf(em));
  return rows;
}

export { sql } from 'kysely';
