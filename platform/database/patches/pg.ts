/**
 * pg 8.23.0 and its pool offer no hook before a connection is acquired or a statement is sent, no limit of the rows that arrive, no cancel
 * request, and no view of the statement in progress. Upstream would have to offer these five. Everything that replaces a method of `pg`, or reads
 * a property that its types leave out, is in this file.
 */
import pg, { type Pool, type PoolClient } from 'pg';

export type ConnectCallback = (error: Error | undefined, client?: PoolClient, release?: (destroy?: boolean) => void) => void;
export type Connect = (callback: ConnectCallback) => void;

/** Wraps the requests for a connection of the pool, also those of `pool.query`. */
export function wrapConnect(pool: Pool, wrap: (connect: Connect) => Connect): void {
  const connect = wrap(pool.connect.bind(pool) as Connect);
  pool.connect = ((callback?: ConnectCallback) => {
    if (callback) return connect(callback);
    return new Promise<PoolClient>((resolve, reject) => {
      connect((error, client) => (error ? reject(error) : resolve(client!)));
    });
  }) as Pool['connect'];
}

/** A statement, its values, and a callback; each of the last two may be missing. */
export type Query = (statement: string | { name?: string; text?: string; submit?: unknown }, ...rest: unknown[]) => unknown;

/** Wraps the statements of all connections of the pool. Call it before the first connection. */
export function wrapQuery(pool: Pool, wrap: (query: Query) => Query): void {
  pool.on('connect', (client) => {
    const wrapped = Object.hasOwn(client, 'query') ? (client.query.bind(client) as Query) : undefined;
    // The method of the class is looked up for each statement, because tests count statements there.
    const ofClass: Query = (...args) => (Object.getPrototypeOf(client).query as Query).apply(client, args);
    client.query = wrap(wrapped ?? ofClass) as PoolClient['query'];
  });
}

/** The parts of a connection that the types leave out. */
interface ClientParts {
  /** The statement in progress. */
  _activeQuery: { text?: string } | null;
  connection: { stream: { bytesRead: number; destroy(error: Error): void } };
  host: string;
  port: number;
  /** Address the session in a cancel request. */
  processID: number;
  secretKey: number;
}

export const partsOf = (client: pg.ClientBase): ClientParts => client as unknown as ClientParts;

type QueryParts = pg.Submittable & { _canceledDueToError: unknown; handleDataRow(message: { length: number }): void };
const QueryWithParts = pg.Query as unknown as new (statement: pg.QueryConfig) => QueryParts;

/** A query whose rows `read` counts while they arrive. When it throws, further rows are dropped, and the query fails with its error. */
class CountedQuery extends QueryWithParts {
  constructor(
    statement: pg.QueryConfig,
    private readonly read: (bytes: number) => void,
    private readonly cancel: () => void,
  ) {
    super(statement);
  }

  override handleDataRow(message: { length: number }): void {
    if (this._canceledDueToError) return;
    try {
      this.read(message.length);
    } catch (refusal) {
      // The query ends with this error when the server has finished.
      this._canceledDueToError = refusal;
      this.cancel();
      return;
    }
    super.handleDataRow(message);
  }
}

type Done = (error: Error | null, result: pg.QueryResult) => void;

/** Runs a statement whose rows are counted. `cancel` is called once when `read` throws. */
export const runCounted = <T extends pg.QueryResultRow>(
  client: PoolClient,
  statement: pg.QueryConfig,
  read: (bytes: number) => void,
  cancel: () => void,
): Promise<pg.QueryResult<T>> =>
  new Promise((resolve, reject) => {
    const done: Done = (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult<T>));
    // Tracing wraps a callback that is an argument. The types leave out a callback after a submittable.
    (client as { query(counted: pg.Submittable, done: Done): void }).query(new CountedQuery(statement, read, cancel), done);
  });
