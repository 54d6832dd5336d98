import type { WebSocket } from '@fastify/websocket';

export interface SocketLimits {
  /** Bytes that may wait for a slow client before it is dropped. */
  maxBuffered: number;
  /** Milliseconds between pings, and the time a pong may take. */
  keepAlive: number;
}

const grace = 1_000;

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

/** Ping at intervals, and cut the connection when a pong is missing at the next. */
export function heartbeat(socket: WebSocket, { keepAlive }: SocketLimits): void {
  let alive = true;
  socket.on('pong', () => {
    alive = true;
  });
  const timer = setInterval(() => {
    if (!alive) return socket.terminate();
    alive = false;
    socket.ping();
  }, keepAlive);
  socket.once('close', () => clearInterval(timer));
}
