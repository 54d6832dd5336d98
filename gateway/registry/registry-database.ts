import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_SCHEMA, inSchema, registryTables } from './registry-tables.ts';

interface Statement {
  text: string;
  values?: unknown[];
  name?: string;
}

/** A pool of `pg`, or anything that runs statements like one. */
export interface Queryable {
  // biome-ignore lint/suspicious/noExplicitAny: the rows of pg have no type
  query(statement: Statement): Promise<{ rows: any[]; rowCount: number | null }>;
}

/** A schema of PostgreSQL that keeps counts of operations and published schemas. */
export interface Registry {
  /**
   * Run a statement, in whose text `registry.` stands for the schema. Values are bound.
   * @param name of a statement that runs often, so that it is planned once
   */
  query<Row>(text: string, values?: readonly unknown[], name?: string): Promise<{ rows: Row[]; rowCount: number }>;
  /** Create the tables unless they exist. */
  createTables(): Promise<void>;
}

/** The registry in a schema of a database. */
export const registryIn = (pool: Queryable, schema = DEFAULT_SCHEMA): Registry => ({
  async query(text, values, name) {
    const { rows, rowCount } = await pool.query({
      text: inSchema(text, schema),
      ...(values && { values: [...values] }),
      ...(name && { name: `${name} ${schema}` }),
    });
    return { rows, rowCount: rowCount ?? 0 };
  },
  async createTables() {
    const { rows } = await pool.query({ text: inSchema(`select to_regclass('registry.publications') is null as missing`, schema) });
    // Without values, all statements are one transaction. The lock makes processes that start together wait for each other.
    if (rows[0].missing) await pool.query({ text: `select pg_advisory_xact_lock(${LOCK}); ${registryTables(schema)}` });
  },
});

const LOCK = 5_201_840_137;

/** Milliseconds that running statements have when a registry is closed. */
const CLOSE_MS = 2_000;

/** A registry with connections of its own. */
export interface OpenRegistry extends Registry {
  /** The address for messages, without credentials. */
  readonly name: string;
  close(): Promise<void>;
}

interface OpenOptions {
  /** Most connections; default 4. */
  connections?: number;
  /** Milliseconds of a connection or a statement, at least 2,000; default 30,000. */
  timeout?: number;
}

/**
 * Open the registry at an address such as `postgres://user:password@host/database?schema=graph_registry`. It connects with the first statement.
 * Throws a predicate for an unusable address, which does not repeat it.
 */
export async function openRegistry(address: string, options: OpenOptions = {}): Promise<OpenRegistry> {
  const { connections = 4, timeout = 30_000 } = options;
  const { connectionString, schema, name } = registryAddress(address);
  const { default: pg } = await import('pg').catch((cause) => {
    throw new Error('needs the package pg: npm install pg', { cause });
  });
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
    // The server gives up first, so that a statement whose answer nobody awaits does not go on.
    statement_timeout: timeout - 1_000,
    lock_timeout: timeout - 1_000,
    // Longer than the time between polls.
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    application_name: 'compiled-gateway',
  });
  // An idle connection was lost. The next statement opens another.
  pool.on('error', () => {});
  return { name, ...registryIn(pool, schema), close: () => Promise.race([pool.end(), wait(CLOSE_MS, undefined, { ref: false })]) };
}

export const isRegistryAddress = (text: string): boolean => /^postgres(ql)?:/i.test(text);

/** The parts of an address of a registry. Throws a predicate that does not repeat it, because it may have a password. */
export function registryAddress(address: string): { connectionString: string; schema: string; name: string } {
  if (!isRegistryAddress(address) || !URL.canParse(address)) {
    throw new Error('must be an address such as postgres://user:password@host/database?schema=graph_registry');
  }
  const url = new URL(address);
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA;
  // A name that needs no quotes, and leaves room for the names of prepared statements.
  if (!/^(?!pg_|information_schema$|public$)[a-z_][a-z0-9_]{0,39}$/.test(schema)) {
    throw new Error('names a schema that is not 1 to 40 lower-case letters, digits and underscores, or belongs to PostgreSQL');
  }
  const name = `postgres://${url.host}${url.pathname}?schema=${schema}`;
  url.searchParams.delete('schema');
  return { connectionString: url.href, schema, name };
}
