import type { Socket } from 'node:net';
import { ResponseReader } from './response-reader.ts';

/** A complete response. */
export interface HttpResponse {
  status: number;
  text: string;
  cacheControl?: string;
}

/** One request and the caller that waits for its response. */
export interface Exchange {
  /** The request line and the headers, without `content-length`. */
  readonly head: string;
  readonly body: string;
  /** `performance.now()` at which the response must be complete. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  /** Owners share the connections fairly. A request without an owner may take any. */
  readonly owner: string | undefined;
  complete(received: HttpResponse): void;
  fail(error: Error): void;
}

/** The error of a request whose caller disconnected or whose time limit ended; undefined otherwise. */
export function abortReasonOf({ signal, deadline }: Exchange, now: number): Error | undefined {
  if (signal?.aborted) return new Error('The caller disconnected');
  return deadline <= now ? new Error('The server takes too long to respond') : undefined;
}

/** Close an idle connection after this time if the server does not say how long it keeps it. */
const DEFAULT_IDLE_MS = 4_000;
const MAX_IDLE_MS = 600_000;
/** Close an idle connection this long before the time that the server announces, because requests take time to arrive. */
const IDLE_MARGIN_MS = 2_000;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const nonAscii = /[\x80-\xff]/;

/** The pool that a connection belongs to. */
export interface ConnectionPool {
  /** Send a request, of which no byte was written, before the others of its owner. Called before `remove`. */
  restart(exchange: Exchange): void;
  /** The response is complete, and the connection is usable for the next request. */
  release(connection: Connection): void;
  /** The connection is closed. Called once. */
  remove(connection: Connection): void;
}

/** A connection to the server. It serves one request at a time. */
export class Connection {
  /** `performance.now()` at which an idle connection is closed. */
  idleUntil = 0;
  exchange?: Exchange;
  private response?: ResponseReader;
  private isClosed = false;
  /** Whether it has served a request. */
  private isUsed = false;

  constructor(
    private readonly socket: Socket,
    private readonly pool: ConnectionPool,
  ) {
    socket.on('data', (bytes) => this.read(bytes));
    socket.on('end', () => this.end());
    socket.on('error', (error) => this.close(error));
    socket.on('close', () => this.close(new Error('The server closed the connection')));
    // The timer of the pool keeps the process alive during a request.
    socket.unref();
  }

  /**
   * Send a request. A used connection first reads the bytes that have arrived. The server may have closed the connection, or its bytes
   * would be read as part of the response. Two turns of the event loop contain one poll of the sockets.
   */
  send(exchange: Exchange): void {
    this.exchange = exchange;
    if (this.isUsed) setImmediate(setImmediate, () => this.resend(exchange));
    else this.write(exchange);
  }

  /** Fail the request and close the connection. */
  cancel(error: Error): void {
    this.exchange?.fail(error);
    this.exchange = undefined;
    this.close(error);
  }

  private resend(exchange: Exchange): void {
    if (this.exchange !== exchange) return;
    const error = abortReasonOf(exchange, performance.now());
    if (error) {
      this.exchange = undefined;
      exchange.fail(error);
      this.pool.release(this);
    } else this.write(exchange);
  }

  private write(exchange: Exchange): void {
    this.isUsed = true;
    this.response = new ResponseReader(MAX_RESPONSE_BYTES);
    const { socket } = this;
    const head = `${exchange.head}content-length: ${Buffer.byteLength(exchange.body)}\r\n\r\n`;
    if (!nonAscii.test(exchange.head)) {
      socket.write(head + exchange.body);
      return;
    }
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(exchange.body);
    socket.uncork();
  }

  /** Close the connection. Its request fails, or uses another connection if no byte of it was written. */
  close(error: Error): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.socket.destroy();
    const { exchange, response } = this;
    this.exchange = undefined;
    if (exchange && response) exchange.fail(error);
    else if (exchange) this.pool.restart(exchange);
    this.pool.remove(this);
  }

  private read(bytes: Buffer): void {
    const { response } = this;
    try {
      if (!response) throw new Error('The server sent data without a request');
      if (response.read(bytes)) this.complete(response);
    } catch (error) {
      this.close(error as Error);
    }
  }

  private end(): void {
    if (this.response?.endsWithConnection) this.complete(this.response);
    else this.close(new Error('The server closed the connection'));
  }

  private complete(response: ResponseReader): void {
    const { status, cacheControl, keepAliveMs } = response.head!;
    const exchange = this.exchange!;
    this.exchange = undefined;
    this.response = undefined;
    const idleMs = keepAliveMs === undefined ? DEFAULT_IDLE_MS : Math.min(keepAliveMs - IDLE_MARGIN_MS, MAX_IDLE_MS);
    // A response before the end of the request, or bytes after the response, leave the connection in an unknown state.
    if (idleMs <= 0 || response.hasExcess || this.socket.writableLength > 0)
      this.close(new Error('The connection cannot be reused'));
    else {
      this.idleUntil = performance.now() + idleMs;
      this.pool.release(this);
    }
    exchange.complete({ status, cacheControl, text: response.text() });
  }
}

/**
 * Headers of one connection, and an encoding that no client decodes. A caller that could set them would change where a request ends.
 */
export const transportHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Headers that the client sets itself. */
const reserved = new Set([...transportHeaders, 'accept', 'content-type', 'host']);
const validName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const validValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Write headers as lines, without the reserved ones. Throws for a name or value that HTTP does not allow. */
export function headerLines(headers: Readonly<Record<string, string | undefined>>): string {
  let lines = '';
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || reserved.has(name.toLowerCase())) continue;
    if (!validName.test(name) || !validValue.test(value)) throw new Error(`The header ${JSON.stringify(name)} cannot be sent`);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}
