import type { IncomingMessage, ServerResponse } from 'node:http';
import { CLIENT_HEADERS } from 'compiled-gateway';
import type { FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';

/** The helmet headers that current browsers use. The list is short because every response carries them. */
const relevantHeaders = [
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
];

/** The security headers of helmet, computed once because they are constant. */
export function securityHeaders(): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const recorder = {
    setHeader(name: string, value: string) {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  const strict = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  });
  strict({} as IncomingMessage, recorder as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return Object.fromEntries(relevantHeaders.map((name) => [name, headers[name]!]));
}

const methods = 'GET, HEAD, POST';
/** Request headers for other origins. Credentials are headers, so cookies (`Access-Control-Allow-Credentials`) are not enabled. */
const allowedHeaders = [
  'content-type',
  'x-api-key',
  'authorization',
  'x-organization',
  'x-handoff-token',
  'idempotency-key',
  'x-graphql-cost',
  'traceparent',
  'apollo-require-preflight',
  'graphql-require-preflight',
  'x-apollo-operation-name',
  ...CLIENT_HEADERS,
];
const exposedHeaders = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'x-error-code',
  'x-unknown-parameters',
];

/**
 * Create a hook that adds CORS headers for these origins (`*` allows all) and answers preflight requests.
 * @param forwarded additional request headers to allow
 * @param exposing additional response headers that pages may read
 */
export function cors(origins: readonly string[], forwarded: readonly string[] = [], exposing: readonly string[] = []) {
  const any = origins.includes('*');
  const exposed = [...exposedHeaders, ...exposing].join(', ');
  const allowed = {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': [...allowedHeaders, ...forwarded].join(', '),
    'access-control-max-age': '600',
  };
  return async ({ method, headers }: FastifyRequest, reply: FastifyReply) => {
    if (!any) reply.header('vary', 'origin');
    const { origin } = headers;
    if (origin === undefined || !(any || origins.includes(origin))) return;
    reply.headers({ 'access-control-allow-origin': any ? '*' : origin, 'access-control-expose-headers': exposed });
    // Override the default of the security headers, `same-origin`.
    reply.header('cross-origin-resource-policy', 'cross-origin');
    if (method === 'OPTIONS' && headers['access-control-request-method']) return reply.headers(allowed).code(204).send();
  };
}
