import type { WebSocket } from '@fastify/websocket';

export interface SocketLimits {
  /** Bytes that may wait for a slow client before it is dropped. */
  maxBuffered: number;
  /** Milliseconds between pings, and the time a pong may take. */
  keepAlive: number;
}

/** Milliseconds that a client has to read up to the close frame. */
const grace = 3_000;

/** Close with a code, and do not wait for a client that never answers. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  // A close frame holds 123 bytes of text.
  socket.close(code, Buffer.byteLength(reason) <= 123 ? reason : '');
  const timer = setTimeout(() => socket.terminate(), grace);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Send without waiting, so that sources are never held up by a client; what a client does not take piles up in its own
 * socket, and only so far. True when the message was taken.
 */
export function sendBounded(socket: WebSocket, data: string, { maxBuffered }: SocketLimits): boolean {
  if (socket.readyState !== socket.OPEN) return true;
  if (socket.bufferedAmount > maxBuffered) return false;
  // The socket closes itself on a failure.
  socket.send(data, () => {});
  return true;
}

/** The sockets are pinged in so many parts of the time, so that they do not all answer at once. */
const PARTS = 10;

/** Pings every socket at intervals, and cuts the connection when a pong is missing at the next. One timer for all of them. */
export class Heartbeat {
  readonly #parts = Array.from({ length: PARTS }, () => new Set<WebSocket>());
  readonly #silent = new Set<WebSocket>();
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
      if (this.#silent.has(socket)) socket.terminate();
      else if (socket.readyState === socket.OPEN) {
        this.#silent.add(socket);
        socket.ping();
      }
    }
  }
}
