import type { FastifyReply, FastifyRequest } from 'fastify';

/** Maximum bytes of a refused body that the server still reads. */
const MAX_DRAINED = 64 * 1024 * 1024;

/**
 * An `onSend` hook that reads the rest of a refused body, up to a limit. Closing the connection instead would lose the response
 * for a client that is still sending.
 */
export function drainRefused({ raw, headers }: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void {
  if (reply.statusCode >= 400 && !raw.complete && Number(headers['content-length']) <= MAX_DRAINED) {
    reply.removeHeader('connection');
    raw.resume();
  }
  done();
}
