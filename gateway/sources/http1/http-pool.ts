import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { abortReasonOf, Connection, type ConnectionPool, type Exchange, type HttpResponse } from './http-connection.ts';

/**
 * Interval of the check for deadlines and canceled requests. One timer for all costs less than a timer and an event listener for
 * each request.
 */
const MAX_CHECK_MS = 250;

/** Requests that wait for a connection. They hold their bodies. */
const MAX_WAITING = 4_096;

interface PoolOptions {
  /** Time limit of a request in milliseconds. It includes the wait for a connection. */
  timeoutMs: number;
  /** Maximum number of connections. Further requests wait. */
  connections: number;
}

/** Persistent HTTP/1.1 connections to one server. */
export class HttpPool implements ConnectionPool {
  private readonly open: () => Socket;
  private readonly all = new Set<Connection>();
  /** The last one is used first, so that connections beyond the need expire. */
  private readonly idle: Connection[] = [];
  private readonly waiting = new RequestQueues(MAX_WAITING);
  /** The owner of the request on each busy connection. */
  private readonly busy = new Map<Connection, string | undefined>();
  /** Busy connections by owner. */
  private readonly held = new Map<string, number>();
  private readonly closed = Promise.withResolvers<void>();
  private isClosing = false;
  private timer?: NodeJS.Timeout;

  constructor(
    { protocol, hostname, port }: URL,
    private readonly options: PoolOptions,
  ) {
    const host = hostname.replace(/^\[|\]$/g, '');
    const how = { host, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };
    this.open =
      protocol === 'https:'
        ? () => connectTls({ ...how, port: Number(port || 443), servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] })
        : () => connectTcp({ ...how, port: Number(port || 80) });
  }

  /**
   * Send a request. Rejects when the transport fails, the time limit ends or the signal aborts.
   *
   * @param head the request line and the headers, without `content-length`
   * @param owner holds at most as many connections as it leaves free; without an owner, a request may take any
   */
  request(head: string, body: string, signal?: AbortSignal, owner?: string): Promise<HttpResponse> {
    return new Promise((complete, fail) => {
      if (this.isClosing) throw new Error('The pool is closed');
      if (signal?.aborted) throw new Error('The caller disconnected');
      this.start({ head, body, deadline: performance.now() + this.options.timeoutMs, signal, owner, complete, fail });
    });
  }

  /** Close the idle connections now, and the others after their requests. */
  close(): Promise<void> {
    this.isClosing = true;
    this.closeIdle();
    this.resolveIfClosed();
    return this.closed.promise;
  }

  private closeIdle(): void {
    for (const connection of [...this.idle]) connection.close(new Error('The pool is closed'));
  }

  release(connection: Connection): void {
    this.leave(connection);
    this.idle.push(connection);
    this.startWaiting();
    if (this.isClosing) this.closeIdle();
  }

  remove(connection: Connection): void {
    this.all.delete(connection);
    this.leave(connection);
    const at = this.idle.indexOf(connection);
    if (at !== -1) this.idle.splice(at, 1);
    this.startWaiting();
    this.resolveIfClosed();
  }

  restart(exchange: Exchange): void {
    this.waiting.addFirst(exchange);
  }

  private start(exchange: Exchange): void {
    if (this.waiting.add(exchange)) this.startWaiting();
    else exchange.fail(new Error('Too many requests wait for the server'));
    this.timer ??= setInterval(() => this.check(), Math.min(MAX_CHECK_MS, this.options.timeoutMs / 10));
    this.timer.ref();
  }

  /** Start requests that wait, as long as there are connections for their owners. A response can make room for several. */
  private startWaiting(): void {
    while (this.waiting.size > 0 && this.busy.size < this.options.connections) {
      // Before taking a request: a connection that closes starts the next one.
      this.closeExpired();
      const next = this.nextWaiting();
      if (!next) return;
      const connection = this.connection();
      if (!connection) {
        this.waiting.addFirst(next);
        return;
      }
      this.assign(connection, next);
    }
  }

  /** An owner holds at most as many connections as it leaves free. */
  private readonly mayStart = (owner: string | undefined): boolean =>
    owner === undefined || (this.held.get(owner) ?? 0) < this.options.connections - this.busy.size;

  private assign(connection: Connection, exchange: Exchange): void {
    const { owner } = exchange;
    this.busy.set(connection, owner);
    if (owner !== undefined) this.held.set(owner, (this.held.get(owner) ?? 0) + 1);
    connection.send(exchange);
  }

  private leave(connection: Connection): void {
    const owner = this.busy.get(connection);
    this.busy.delete(connection);
    if (owner === undefined) return;
    const rest = this.held.get(owner)! - 1;
    if (rest > 0) this.held.set(owner, rest);
    else this.held.delete(owner);
  }

  /** An idle or a new connection; undefined if all are busy. */
  private connection(): Connection | undefined {
    const idle = this.idle.pop();
    if (idle) return idle;
    if (this.all.size >= this.options.connections) return undefined;
    const connection = new Connection(this.open(), this);
    this.all.add(connection);
    return connection;
  }

  private closeExpired(): void {
    const now = performance.now();
    const isExpired = ({ idleUntil }: Connection) => idleUntil <= now;
    for (let expired = this.idle.find(isExpired); expired; expired = this.idle.find(isExpired))
      expired.close(new Error('The connection was idle'));
  }

  private nextWaiting(): Exchange | undefined {
    const now = performance.now();
    for (let next = this.waiting.take(this.mayStart); next; next = this.waiting.take(this.mayStart)) {
      const error = abortReasonOf(next, now);
      if (!error) return next;
      next.fail(error);
    }
    return undefined;
  }

  /** End requests that are late or canceled, and close connections that were idle for too long. */
  protected check(): void {
    this.closeExpired();
    const now = performance.now();
    // Waiting requests come first, because a connection that closes takes the next one.
    for (const exchange of [...this.waiting]) {
      const error = abortReasonOf(exchange, now);
      if (error && this.waiting.delete(exchange)) exchange.fail(error);
    }
    for (const connection of [...this.all]) {
      const error = connection.exchange && abortReasonOf(connection.exchange, now);
      if (error) connection.cancel(error);
    }
    // The timer keeps the process alive during requests, but not for idle connections.
    if (this.all.size === this.idle.length) this.timer?.unref();
    else this.timer?.ref();
  }

  private resolveIfClosed(): void {
    if (this.all.size > 0 || this.waiting.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
    if (this.isClosing) this.closed.resolve();
  }
}

/** Requests that wait for a connection, in one queue for each owner. */
class RequestQueues {
  /** The first owner has the next turn. */
  readonly #queues = new Map<string | undefined, Set<Exchange>>();
  #size = 0;

  /** @param max number of requests; an owner has at most half of those that others leave */
  constructor(private readonly max: number) {}

  get size(): number {
    return this.#size;
  }

  /** Add a request. Returns false when the queue of its owner is full. */
  add(exchange: Exchange): boolean {
    const queue = this.#queues.get(exchange.owner) ?? new Set();
    if (queue.size >= this.max - this.#size) return false;
    this.#queues.set(exchange.owner, queue.add(exchange));
    this.#size += 1;
    return true;
  }

  /** Add a request before the others of its owner. */
  addFirst(exchange: Exchange): void {
    this.#queues.set(exchange.owner, new Set([exchange, ...(this.#queues.get(exchange.owner) ?? [])]));
    this.#size += 1;
  }

  delete(exchange: Exchange): boolean {
    const queue = this.#queues.get(exchange.owner);
    if (!queue?.delete(exchange)) return false;
    this.#size -= 1;
    if (queue.size === 0) this.#queues.delete(exchange.owner);
    return true;
  }

  /** Take the first request of the next owner that may start one. */
  take(mayStart: (owner: string | undefined) => boolean): Exchange | undefined {
    for (const [owner, queue] of this.#queues) {
      if (!mayStart(owner)) continue;
      const [first] = queue;
      this.#queues.delete(owner);
      this.#queues.set(owner, queue);
      this.delete(first!);
      return first;
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<Exchange> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}
