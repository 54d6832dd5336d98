import type { Budget } from 'compiled-gateway';
import pg from 'pg';

const patience = 5_000;

/**
 * Statements for callers that may go away: PostgreSQL gives up what nobody waits for any more. It is told so over a connection of
 * its own, because those of the pool may all be busy.
 */
export class Statements {
  #client: Promise<pg.Client> | undefined;
  /** Backends whose statements are to be given up, told together once the last ones are told. */
  readonly #waiting: number[] = [];
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly pool: pg.Pool,
    private readonly url: string,
  ) {}

  /**
   * Run a statement. Throws the reason of the signal when that comes first, and `LIMIT_REACHED` when the rows exceed the budget.
   */
  async run<T extends pg.QueryResultRow>(
    statement: pg.QueryConfig,
    signal?: AbortSignal,
    budget?: Budget,
  ): Promise<pg.QueryResult<T>> {
    if (!signal && !budget) return this.pool.query<T>(statement);
    signal?.throwIfAborted();
    const client = await (signal ? connectWithin(this.pool, signal) : this.pool.connect());
    client.on('error', said);
    const running = new Running(client, this);
    signal?.addEventListener('abort', running, { once: true });
    try {
      signal?.throwIfAborted();
      return await (budget ? counted<T>(client, statement, budget, running) : client.query<T>(statement));
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', running);
      running.release();
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => {});
  }

  /** Have a backend give up its statement; ends when it is told. */
  cancel(processID: number): Promise<void> {
    this.#waiting.push(processID);
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      this.#last = this.#tell(this.#waiting.splice(0));
      return this.#last;
    });
    return this.#next;
  }

  /** What cannot be cancelled ends by the time limit of its connection. */
  async #tell(processIDs: number[]): Promise<void> {
    this.#client ??= this.#connect();
    const text = 'select pg_cancel_backend(id) from unnest($1::int[]) id';
    await this.#client.then((client) => client.query(text, [processIDs])).catch(() => {});
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: patience, query_timeout: patience });
    const forget = () => {
      this.#client = undefined;
    };
    client.on('error', forget).on('end', forget);
    await client.connect().catch((error: unknown) => {
      forget();
      throw error;
    });
    return client;
  }
}

/** A connection of the pool. The wait for one ends with the signal, and what comes after that goes back. */
async function connectWithin(pool: pg.Pool, signal: AbortSignal): Promise<pg.PoolClient> {
  const connecting = pool.connect();
  return new Promise((resolve, reject) => {
    const leave = () => {
      reject(signal.reason);
      connecting.then(
        (client) => client.release(),
        () => {},
      );
    };
    signal.addEventListener('abort', leave, { once: true });
    const arrived = () => signal.removeEventListener('abort', leave);
    connecting.finally(arrived).then(resolve, reject);
  });
}

/** A statement under way. It is what listens to the signal: functions that point at each other outlive collections of the young. */
class Running {
  #cancelling: Promise<void> | undefined;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly statements: Statements,
  ) {}

  /** Nobody waits for the rest any more. */
  handleEvent(): void {
    this.#cancelling ??= this.statements.cancel((this.client as pg.PoolClient & { processID: number }).processID);
  }

  /** The connection must not be at the next one's statement when it is told to stop; one that was lost is not kept by the pool. */
  release(): void {
    if (this.#cancelling) void this.#cancelling.then(() => this.#giveBack());
    else this.#giveBack();
  }

  #giveBack(): void {
    this.client.off('error', said);
    this.client.release();
  }
}

/** A connection that is lost fails its statement, which says it; without a listener it would end the process. */
const said = () => {};

type Done = (error: Error | null, result: pg.QueryResult) => void;

/** A query of `pg` with the parts that its types leave out. */
const Query = pg.Query as unknown as new (
  statement: pg.QueryConfig,
  values: undefined,
  done: Done,
) => pg.Submittable & { _canceledDueToError: unknown; handleDataRow(message: { length: number }): void };

/** A query whose rows count while they arrive. Beyond the budget rows are dropped and the statement is cancelled. */
class CountedQuery extends Query {
  constructor(
    statement: pg.QueryConfig,
    done: Done,
    private readonly budget: Budget,
    private readonly running: Running,
  ) {
    super(statement, undefined, done);
  }

  override handleDataRow(message: { length: number }): void {
    if (this._canceledDueToError) return;
    try {
      this.budget.read(message.length);
    } catch (refusal) {
      // The query ends with this error once the server is through.
      this._canceledDueToError = refusal;
      this.running.handleEvent();
      return;
    }
    super.handleDataRow(message);
  }
}

const counted = <T extends pg.QueryResultRow>(
  client: pg.PoolClient,
  statement: pg.QueryConfig,
  budget: Budget,
  running: Running,
): Promise<pg.QueryResult<T>> =>
  new Promise((resolve, reject) => {
    const done: Done = (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult<T>));
    client.query(new CountedQuery(statement, done, budget, running));
  });
