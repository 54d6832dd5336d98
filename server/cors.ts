import type { FastifyReply, FastifyRequest } from 'fastify';

const methods = 'GET, HEAD, POST';
/** What pages of other origins may send; credentials are headers here, so the browser's own are never asked for. */
const readable = [
  'content-type',
  'x-api-key',
  'authorization',
  'x-organization',
  'idempotency-key',
  'x-graphql-cost',
  'traceparent',
  'apollo-require-preflight',
  'graphql-require-preflight',
  'x-apollo-operation-name',
];
const exposed = 'x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after';

/**
 * A hook that lets pages of these origins read the answers, `*` meaning all, and answers the question before a request.
 * @param forwarded headers that pages may send besides
 */
export function cors(origins: readonly string[], forwarded: readonly string[] = []) {
  const any = origins.includes('*');
  const allowed = {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': [...readable, ...forwarded].join(', '),
    'access-control-max-age': '600',
  };
  return async ({ method, headers }: FastifyRequest, reply: FastifyReply) => {
    if (!any) reply.header('vary', 'origin');
    const { origin } = headers;
    if (origin === undefined || !(any || origins.includes(origin))) return;
    reply.headers({ 'access-control-allow-origin': any ? '*' : origin, 'access-control-expose-headers': exposed });
    // By default answers are for pages of the same origin.
    reply.header('cross-origin-resource-policy', 'cross-origin');
    if (method === 'OPTIONS' && headers['access-control-request-method']) return reply.headers(allowed).code(204).send();
  };
}
