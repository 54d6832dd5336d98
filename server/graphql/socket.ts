import type { WebSocket } from '@fastify/websocket';

export interface SocketLimits {
  /** Maximum bytes buffered for a slow client before the server closes its connection. */
  maxBuffered: number;
  /** Milliseconds between pings, and the time limit of a pong. */
  keepAlive: number;
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

/**
 * Send without waiting, so that a slow client does not block sources. Returns false when the socket has buffered too much; the
 * message is then dropped.
 */
export function sendBounded(socket: WebSocket, data: string, { maxBuffered }: SocketLimits): boolean {
  if (socket.readyState !== socket.OPEN) return true;
  if (socket.bufferedAmount > maxBuffered) return false;
  // The socket closes itself on failure.
  socket.send(data, () => {});
  return true;
}

/** Number of groups that are pinged in turn, so that not all clients answer at once. */
const PARTS = 10;

/** Pings all sockets periodically with one timer. It terminates a socket that has not answered by the next ping. */
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
