import type { FastifyReply, FastifyRequest } from 'fastify';

/** Seconds. A database or a subgraph that restarts is back by then. */
const RETRY_AFTER = 5;

/** An `onSend` hook: whatever answers 503 says when to try again. */
export function adviseRetry(_request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void {
  if (reply.statusCode === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER);
  done();
}
