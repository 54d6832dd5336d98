import type { FastifyReply, FastifyRequest } from 'fastify';

/** Bytes of a refused body that are still read. */
const BEARABLE = 64 * 1024 * 1024;

/**
 * An `onSend` hook. A body that is refused half-way cuts the connection, and a client that is still sending then loses the
 * answer: what has a bearable length is read to its end instead.
 */
export function drainRefused({ raw, headers }: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void {
  if (reply.statusCode >= 400 && !raw.complete && Number(headers['content-length']) <= BEARABLE) {
    reply.removeHeader('connection');
    raw.resume();
  }
  done();
}
