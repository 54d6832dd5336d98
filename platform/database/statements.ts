import { context, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import type { Budget } from 'compiled-gateway';
import type { Pool } from 'pg';
import pg from 'pg';
import { truncate } from '../../schema/text.ts';
import { partsOf, type Query, runCounted, wrapConnect, wrapQuery } from './patches/pg.ts';
import { requestCancel } from './pooler.ts';

const TIMEOUT = 5_000;

/**
 * Runs statements that PostgreSQL cancels when their caller disconnects. Cancel requests use a separate connection, because all
 * connections of the pool may be busy.
 */
export class Statements {
  #client: Promise<pg.Client> | undefined;
  /** Backends whose statements to cancel, sent as one batch after the previous batch. */
  readonly #pending: number[] = [];
  #nextBatch: Promise<void> | undefined;
  #lastBatch: Promise<void> = Promise.resolve();

  constructor(
    private readonly pool: pg.Pool,
    /** The address of the server itself. */
    private readonly url: string,
    private readonly isPooled = false,
  ) {}

  /** Run a statement. Throws the reason of the signal when it aborts, and `LIMIT_REACHED` when the rows exceed the budget. */
  async run<T extends pg.QueryResultRow>(
    statement: pg.QueryConfig,
    signal?: AbortSignal,
    budget?: Budget,
  ): Promise<pg.QueryResult<T>> {
    if (!signal && !budget) return this.pool.query<T>(statement);
    signal?.throwIfAborted();
    const running = new Running(this);
    signal?.addEventListener('abort', running, { once: true });
    try {
      const client = await running.connect(this.pool);
      signal?.throwIfAborted();
      return await (budget
        ? runCounted<T>(
            client,
            statement,
            (bytes) => budget.read(bytes),
            () => running.cancel(client),
          )
        : client.query<T>(statement));
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

  /** Cancel the statement of a connection. Resolves when PostgreSQL has received the request. */
  cancel(client: pg.PoolClient): Promise<void> {
    if (this.isPooled) return requestCancel(client);
    this.#pending.push(partsOf(client).processID);
    this.#nextBatch ??= this.#lastBatch.then(() => {
      this.#nextBatch = undefined;
      this.#lastBatch = this.#cancelBackends(this.#pending.splice(0));
      return this.#lastBatch;
    });
    return this.#nextBatch;
  }

  /** If this fails, the statement timeout of the connection applies. */
  async #cancelBackends(processIDs: number[]): Promise<void> {
    this.#client ??= this.#connect();
    const text = 'select pg_cancel_backend(id) from unnest($1::int[]) id';
    await this.#client.then((client) => client.query(text, [processIDs])).catch(() => {});
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: TIMEOUT, query_timeout: TIMEOUT });
    const discard = () => {
      this.#client = undefined;
    };
    client.on('error', discard).on('end', discard);
    await client.connect().catch((error: unknown) => {
      discard();
      throw error;
    });
    return client;
  }
}

/**
 * A statement that waits for its connection or runs. It is an abort listener itself, because closures that reference each other survive
 * young-generation GC.
 */
class Running {
  #client: pg.PoolClient | undefined;
  #stopWaiting: ((error: Error) => void) | undefined;
  #isAborted = false;
  #canceling: Promise<void> | undefined;

  constructor(private readonly statements: Statements) {}

  /** Get a connection of the pool. After an abort, a connection that arrives late returns to the pool. */
  connect(pool: pg.Pool): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      this.#stopWaiting = reject;
      pool.connect((error, client) => {
        if (!client) return reject(error ?? new Error('The pool returned no connection'));
        if (this.#isAborted) return client.release();
        this.#client = client;
        this.#stopWaiting = undefined;
        client.on('error', ignoreError);
        resolve(client);
      });
    });
  }

  /** Stop waiting, or cancel the statement. Called when the signal aborts. */
  handleEvent(): void {
    this.#isAborted = true;
    if (this.#client) this.cancel(this.#client);
    else this.#stopWaiting?.(new Error('The caller disconnected'));
  }

  cancel(client: pg.PoolClient): void {
    this.#canceling ??= this.statements.cancel(client);
  }

  /** Wait for a pending cancel request, which could otherwise hit the next statement of the connection. */
  release(): void {
    if (this.#canceling) void this.#canceling.then(() => this.#releaseClient());
    else this.#releaseClient();
  }

  #releaseClient(): void {
    this.#client?.off('error', ignoreError);
    this.#client?.release();
    this.#client = undefined;
  }
}

/** A lost connection already rejects its statement. Without a listener, the error event would crash the process. */
const ignoreError = () => {};

type Callback = (error: Error | null, ...rest: unknown[]) => void;
type Statement = Parameters<Query>[0];

/**
 * Create a span for each statement of the pool, with its text but without its values, if the caller has a sampled trace. Call it before the
 * first connection.
 */
export function tracePool(pool: Pool): void {
  // The pool calls back in the context of the caller that released the connection, so bind the callback.
  wrapConnect(pool, (connect) => (callback) => connect(context.bind(context.active(), callback)));
  wrapQuery(pool, (query) => (statement, ...rest) => {
    // Background statements, such as polling, start no trace. The active span may be that of a caller in another process.
    const { traceFlags = TraceFlags.NONE } = trace.getActiveSpan()?.spanContext() ?? {};
    if ((traceFlags & TraceFlags.SAMPLED) === 0) return query(statement, ...rest);
    const text = textOf(statement);
    const attributes = { 'db.system': 'postgresql', 'db.statement': text };
    const span = trace.getTracer('postgresql').startSpan(text.split(' ', 1)[0] || 'SQL', { kind: SpanKind.CLIENT, attributes });
    const end = (error?: unknown) => {
      if (error) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
    const callback = rest.at(-1);
    if (typeof callback === 'function') {
      const traced: Callback = (error, ...results) => {
        end(error);
        (callback as Callback)(error, ...results);
      };
      return query(statement, ...rest.slice(0, -1), context.bind(context.active(), traced));
    }
    const result = query(statement, ...rest);
    if (result instanceof Promise) result.then(() => end(), end);
    else end();
    return result;
  });
}

const textOf = (statement: Statement): string =>
  truncate(withoutValues(typeof statement === 'string' ? statement : (statement?.text ?? '')).trim(), 2_000);

const LITERALS = /\bE'(?:[^'\\]|''|\\[\s\S])*'?|'(?:[^']|'')*'?|(?<![\w$."])\d+(?:\.\d+)?\b/gi;

/** Replaces literals, because the mapper writes values of callers into its statements. */
const withoutValues = (text: string): string => text.replace(LITERALS, '?').replace(/\?(?:, \?)+/g, '?, …');
