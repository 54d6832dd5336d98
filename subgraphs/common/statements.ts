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

  /** Run a statement. Throws the reason of the signal when that comes first. */
  async run<T extends pg.QueryResultRow>(statement: pg.QueryConfig, signal?: AbortSignal): Promise<pg.QueryResult<T>> {
    if (!signal) return this.pool.query<T>(statement);
    signal.throwIfAborted();
    const client = await this.pool.connect();
    let failure: Error | undefined;
    let cancelling: Promise<void> | undefined;
    const cancel = () => {
      cancelling = this.#cancel((client as pg.PoolClient & { processID: number }).processID);
    };
    const lost = (error: Error) => {
      failure = error;
    };
    client.once('error', lost);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      signal.throwIfAborted();
      return await client.query<T>(statement);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', cancel);
      const release = () => {
        client.off('error', lost);
        client.release(failure);
      };
      // The connection must not be at the next one's statement when it is told to stop.
      if (cancelling) void cancelling.then(release);
      else release();
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => {});
  }

  #cancel(processID: number): Promise<void> {
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
