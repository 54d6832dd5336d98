import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { type Lifetime, lifetimeOf } from '../schema/lifetime.ts';
import type { Admit, RequestContext, Requirement } from '../schema/request.ts';
import { refuse } from './answer.ts';
import type { Route } from './route.ts';
import { keySchemes, type Surface } from './surface.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What travels with this request through the graph. */
    forwarded: RequestContext;
    lifetime: Lifetime;
  }
}

/** What stands at every door. */
export interface Gate {
  admit: Admit;
  /** Milliseconds an operation may take. */
  timeout?: number;
}

/**
 * The door of a route: says who calls, counts the request, and answers a refusal itself. It runs before the body is read, so
 * that nobody uploads for nothing.
 */
export function door(
  { admit, timeout = 60_000 }: Gate,
  surface: Surface,
  requirement: Requirement,
  route?: Route,
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const { traceparent } = request.headers as Record<string, string | undefined>;
    request.lifetime = lifetimeOf(reply.raw, timeout);
    request.forwarded = { headers: forwardedHeaders(request, surface), signal: request.lifetime.signal, traceparent };
    const { limit, remaining, reset, refusal } = await admit(request.forwarded, requirement);
    reply.headers({ 'X-RateLimit-Limit': limit, 'X-RateLimit-Remaining': remaining, 'X-RateLimit-Reset': reset });
    if (!refusal) return;
    if (refusal.code === 'RATE_LIMITED') reply.header('Retry-After', Math.max(1, reset - Math.floor(Date.now() / 1000)));
    const { code, message } = refusal;
    return refuse(reply, { message, extensions: { code } }, surface, route?.row.statuses);
  };
}

/** Only these: a caller cannot name an organization or an address of its own choice behind the path's back. */
function forwardedHeaders(request: FastifyRequest, { keys, organization }: Surface): Record<string, string> {
  const headers: Record<string, string> = { 'x-client-address': request.ip };
  for (const scheme of keys) {
    const { header } = keySchemes[scheme];
    const value = request.headers[header];
    if (typeof value === 'string') headers[header] = value;
  }
  if (request.headers.origin !== undefined) headers.origin = request.headers.origin;
  const { 'idempotency-key': once } = request.headers;
  if (once !== undefined) headers['idempotency-key'] = String(once);
  if (organization) {
    // A path that cannot be read has neither.
    const source = ((organization === 'path' ? request.params : request.query) ?? {}) as Record<string, unknown>;
    // Encoded, because a header holds no other characters; ids and slugs stay as they are, and nothing else is one.
    // An empty segment of a path names no organization; it must not stand for the one of the key.
    if (source.organization || organization === 'path') headers['x-organization'] = encodeURIComponent(String(source.organization));
  }
  return headers;
}
