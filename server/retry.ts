import type { FastifyReply, FastifyRequest } from 'fastify';

/** Seconds in which a database or subgraph usually restarts. */
const RETRY_AFTER = 5;

/** An `onSend` hook that adds `Retry-After` to every 503 response. */
export function adviseRetry(_request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void {
  if (reply.statusCode === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER);
  done();
}
