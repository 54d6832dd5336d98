import { setTimeout as wait } from 'node:timers/promises';

/** The schema of a registry that names none. */
export const DEFAULT_SCHEMA = 'graph_registry';

/** The statements that create a registry, for one transaction. They keep what exists. */
export const registryTables = (schema: string): string => inSchema(`${create(schema)} ${TABLES}`, schema);

/** The statement for the schema of a registry. In its text, `registry.` stands for the schema. */
const inSchema = (text: string, schema: string): string => text.replaceAll('registry.', `"${schema}".`);

/** `create schema if not exists` would need the permission to create one even if it exists. */
const create = (schema: string) =>
  `do $$ begin if to_regnamespace('"${schema}"') is null then create schema "${schema}"; end if; end $$;`;

const TABLES = `
create table if not exists registry.operations (
  -- Of the text, and of the REST row that runs it.
  hash text primary key,
  name text not null, kind text not null, label text not null,
  -- Without literals and aliases.
  text text not null,
  -- The parts of the schema that every request uses, and those that a variable fills.
  coordinates text[] not null, filled text[] not null,
  seen_at timestamptz not null default now()
);
-- The retention.
create index if not exists operations_age on registry.operations (seen_at);

create table if not exists registry.requests (
  hour timestamptz not null,
  operation text not null, client text not null, version text not null,
  requests bigint not null, errors bigint not null,
  durations bigint[] not null,
  -- Requests by the argument, input field or enum value that they sent in variables.
  sent jsonb not null,
  primary key (hour, operation, client, version)
);

-- The last batch of each process, so that a batch that is sent again counts once.
create table if not exists registry.writers (id uuid primary key, sequence bigint not null, at timestamptz not null);
-- The retention.
create index if not exists writers_age on registry.writers (at);

-- The schemas that gateways served to callers. The one that was recorded last is current.
create table if not exists registry.schemas (
  hash text primary key,
  text text not null,
  -- Coordinates with description and reason of deprecation.
  parts jsonb not null,
  created_at timestamptz not null default now(), seen_at timestamptz not null default now()
);
-- The current schema.
create index if not exists schemas_age on registry.schemas (seen_at);

-- The supergraphs that people published. The one with the highest version is current.
create table if not exists registry.publications (
  version int primary key check (version > 0),
  supergraph text not null,
  -- Name, address and SDL of each subgraph; an empty list if only the supergraph is known.
  subgraphs jsonb not null,
  -- The schema for callers: each definition as SDL, by name.
  api jsonb not null,
  author text not null,
  published_at timestamptz not null default now(),
  -- The earlier version that this one brings back.
  restored int,
  -- Of the check of the changes since the version before.
  verdict text not null check (verdict in ('safe', 'breaks', 'unknown')), report text not null
);
`;

interface Statement {
  text: string;
  values?: unknown[];
  name?: string;
}

/** A pool of `pg`, or anything that runs statements like one. */
interface Queryable {
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

/** A part of a list. */
export interface Slice {
  readonly limit: number;
  readonly offset: number;
}

/** A part of a list, and the length of the list. */
export interface Counted<T> {
  readonly nodes: T[];
  readonly total: number;
}

/** Reads rows that each have the total of their list. A slice past the end has none, so the first row tells its total. */
export async function countedRows<R extends { total: number }>(
  { limit, offset }: Slice,
  read: (limit: number, offset: number) => Promise<{ rows: R[] }>,
): Promise<{ rows: R[]; total: number }> {
  const { rows } = await read(limit, offset);
  const [first] = rows.length > 0 || offset === 0 ? rows : (await read(1, 0)).rows;
  return { rows, total: first?.total ?? 0 };
}
