import type { WebSocket } from '@fastify/websocket';
import type { RequestContext } from 'compiled-gateway';
import type { FastifyBaseLogger } from 'fastify';
import { type ErrorCode, errors } from '../../schema/errors.ts';
import { Lifetime } from '../lifetime.ts';

/** The state of one WebSocket client. */
export interface Connection {
  readonly socket: WebSocket;
  readonly log: FastifyBaseLogger;
  /** Send an event, or close the connection when the client reads too slowly. */
  send(data: string): void;
  /** Send a response, or close the connection when too many wait. Resolves when the client has read it or disconnected. */
  deliver(data: string): Promise<void>;
  /** Headers for each operation. The origin is informational; browser clients need a key like any other. */
  headers: RequestContext['headers'];
  /** The headers that name the client, also those in `connectionParams`. */
  clientHeaders: Readonly<Record<string, unknown>>;
  readonly operations: Operations;
  /** Whether it had no key and ran nothing at the last check. */
  isIdle: boolean;
  /** Running queries and mutations. */
  readonly executing: Set<Promise<unknown>>;
}

/** A message of a client, before graphql-ws validates it. */
export interface ClientMessage {
  readonly type?: unknown;
  readonly id?: unknown;
}

interface Operation {
  /** The id that the client chose. */
  readonly id: string;
  readonly lifetime: Lifetime;
}

/**
 * The operations of one connection. graphql-ws identifies them by numbers, because it forgets an id only when the execution ends,
 * and a client may reuse its id after `complete`.
 */
export class Operations {
  /** By number. A canceled operation counts until its execution ends. */
  readonly #running = new Map<string, Operation>();
  /** Numbers by the ids of the client. */
  readonly #numbers = new Map<string, string>();
  #last = 0;

  /** @param timeout of each operation, in milliseconds */
  constructor(private readonly timeout: number) {}

  get size(): number {
    return this.#running.size;
  }

  get(number: string): Operation | undefined {
    return this.#running.get(number);
  }

  numberOf(id: string): string | undefined {
    return this.#numbers.get(id);
  }

  add(id: string): string {
    const number = `${++this.#last}`;
    this.#running.set(number, { id, lifetime: new Lifetime(this.timeout) });
    this.#numbers.set(id, number);
    return number;
  }

  /** Abort an operation. Its later messages are dropped, and its id is free. */
  cancel(number: string): void {
    const operation = this.get(number);
    if (!operation) return;
    if (this.#isCurrent(number, operation)) this.#numbers.delete(operation.id);
    operation.lifetime.end();
  }

  /** Remove an operation whose execution has ended. */
  delete(number: string): void {
    this.cancel(number);
    this.#running.delete(number);
  }

  clear(): void {
    for (const number of this.#running.keys()) this.delete(number);
  }

  /** Restore the id of the client in a message of graphql-ws. Returns undefined if the client completed the operation. */
  restoreId(text: string): string | undefined {
    const [start, number] = /^\{"id":"(\d+)"/.exec(text) ?? [];
    if (!start || !number) return text;
    const operation = this.awaited(number);
    return operation && `{"id":${JSON.stringify(operation.id)}${text.slice(start.length)}`;
  }

  /** The operation of a number, unless the client completed it. */
  awaited(number: string): Operation | undefined {
    const operation = this.get(number);
    return operation && this.#isCurrent(number, operation) ? operation : undefined;
  }

  #isCurrent(number: string, { id }: Operation): boolean {
    return this.#numbers.get(id) === number;
  }
}

export interface SocketLimits {
  /** Maximum bytes of events that wait for a slow client, before the server closes its connection. */
  maxBuffered: number;
  /** Maximum bytes of responses that wait behind another one. */
  maxWaiting: number;
  /** Milliseconds that a client gets to read a response. */
  reading: number;
  /** Milliseconds between pings, and the time limit of a pong. */
  keepAlive: number;
  /** Maximum open subscriptions of this process. */
  streams: number;
  /** Milliseconds after which a connection without a key that runs nothing is closed. */
  idle: number;
}

/**
 * The WebSocket close code for an error. Clients of graphql-ws do not retry after 4400, 4401 and 4500, but they do after 4403. So a
 * refused key is 4401, and 1013 means that the client should retry later.
 */
export function closeCode(code: ErrorCode): number {
  const status = errors[code];
  if (status === 429 || status === 503) return 1013;
  if (status === 401 || status === 402 || status === 403) return 4401;
  return status === 400 ? 4400 : 4500;
}

/** Milliseconds that a client gets to answer the close frame. */
const grace = 3_000;

/** Close with a code. If the client does not answer in time, terminate the connection. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  // A close frame holds at most 123 bytes of text.
  socket.close(code, Buffer.byteLength(reason) <= 123 ? reason : '');
  const timer = setTimeout(() => socket.terminate(), grace);
  socket.once('close', () => clearTimeout(timer));
}

/** The messages to one client. */
export class Outgoing {
  /** Bytes of each event that the client has not read, oldest first. */
  readonly #sizes: number[] = [];
  #bytes = 0;
  /** Responses that the client has not read, and the bytes of those behind the first. */
  #delivering = 0;
  #waiting = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly limits: SocketLimits,
  ) {}

  /**
   * Send an event without waiting, so that a slow client does not block sources. Returns false and drops it when too many bytes wait behind
   * the event that is being sent.
   */
  push(event: string): boolean {
    if (this.socket.readyState !== this.socket.OPEN) return true;
    if (this.#bytes - (this.#sizes[0] ?? 0) > this.limits.maxBuffered) return false;
    const size = Buffer.byteLength(event);
    this.#sizes.push(size);
    this.#bytes += size;
    // The socket closes itself on failure.
    this.socket.send(event, () => {
      this.#bytes -= this.#sizes.shift()!;
    });
    return true;
  }

  /**
   * Send a response of any size. Resolves to true when the client has read it or has disconnected. Resolves to false immediately when too
   * many bytes wait behind the message that is being sent. A client that does not read the response in time is disconnected.
   */
  async deliver(response: string): Promise<boolean> {
    if (this.socket.readyState !== this.socket.OPEN) return true;
    if (this.#waiting > this.limits.maxWaiting) return false;
    // The first response may be larger than all that may wait.
    const size = this.#delivering === 0 ? 0 : Buffer.byteLength(response);
    this.#waiting += size;
    this.#delivering += 1;
    const timer = setTimeout(() => this.socket.terminate(), this.limits.reading);
    await new Promise<unknown>((resolve) => this.socket.send(response, resolve));
    clearTimeout(timer);
    this.#delivering -= 1;
    this.#waiting -= size;
    return true;
  }
}

/** Number of groups that are pinged in turn, so that not all clients answer at once. */
const PARTS = 10;

/** Intervals that a client gets to answer a ping behind messages that it still reads. */
const BUSY_INTERVALS = 10;

/**
 * Pings all sockets periodically with one timer. It terminates a socket that has not answered by the next ping. A large response delays the
 * ping and its answer, so a client that is receiving one gets longer.
 */
export class Heartbeat {
  readonly #parts = Array.from({ length: PARTS }, () => new Set<WebSocket>());
  /** Intervals since a ping without an answer. */
  readonly #silent = new Map<WebSocket, number>();
  readonly #timer: NodeJS.Timeout;
  #turn = 0;
  #added = 0;

  constructor(milliseconds: number) {
    this.#timer = setInterval(() => this.#beat(), milliseconds / PARTS).unref();
  }

  add(socket: WebSocket): void {
    const part = this.#parts[this.#added++ % PARTS]!;
    part.add(socket);
    socket.on('pong', () => this.#silent.delete(socket));
    socket.once('close', () => {
      part.delete(socket);
      this.#silent.delete(socket);
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    this.#turn = (this.#turn + 1) % PARTS;
    for (const socket of this.#parts[this.#turn]!) {
      const silent = this.#silent.get(socket) ?? 0;
      const isReceiving = socket.bufferedAmount > 0 && silent < BUSY_INTERVALS;
      if (silent > 0 && !isReceiving) socket.terminate();
      else if (socket.readyState === socket.OPEN) {
        this.#silent.set(socket, silent + 1);
        if (silent === 0) socket.ping();
      }
    }
  }
}
