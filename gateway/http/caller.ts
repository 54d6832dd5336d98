import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLError } from 'graphql';
import { codeOf, errors, fail } from '../../schema/errors.ts';
import type { Lifetime } from '../../schema/lifetime.ts';
import { lifetimeOf } from '../../schema/lifetime.ts';
import type { Admission, Admit, RequestContext } from '../../schema/request.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling, as the subgraphs see it. */
    caller: RequestContext;
    lifetime: Lifetime;
  }
}

const credentials = ['x-api-key', 'authorization', 'x-organization'] as const;

/** The headers of a caller, and `more` that are passed on by configuration. Its address is what the server saw, never what it wrote. */
export function headersOf({ headers, ip }: FastifyRequest, more: readonly string[] = []): Record<string, string | undefined> {
  const passed: Record<string, string | undefined> = { origin: headers.origin, 'x-client-address': ip };
  const pass = (name: string) => {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') passed[name] = value;
  };
  credentials.forEach(pass);
  more.forEach(pass);
  return passed;
}

/** The same of a map of any origin, whose names are in any case. */
export function credentialsIn(given: unknown, more: readonly string[] = []): Record<string, string> {
  const found: Record<string, string> = {};
  if (typeof given !== 'object' || given === null) return found;
  for (const [name, value] of Object.entries(given)) {
    const known = [...credentials, ...more].find((each) => each === name.toLowerCase());
    if (known && typeof value === 'string' && value !== '') found[known] = value;
  }
  return found;
}

/**
 * A hook that counts the request and refuses a key that does not work: a wrong key is never silently anonymous. A caller
 * without a key passes; what needs one says so.
 */
export const admitted =
  (admit: Admit | undefined, timeout: number, more?: readonly string[]) => async (request: FastifyRequest, reply: FastifyReply) => {
    // Not on a socket, where it would stand for every operation.
    const once = request.headers['idempotency-key'];
    const headers = headersOf(request, more);
    if (once !== undefined) headers['idempotency-key'] = String(once);
    const { traceparent } = request.headers as Record<string, string | undefined>;
    request.lifetime = lifetimeOf(reply.raw, timeout);
    request.caller = { headers, signal: request.lifetime.signal, traceparent };
    if (!admit) return;
    const admission = await admit(request.caller, { access: 'public' });
    reply.headers({
      'x-ratelimit-limit': admission.limit,
      'x-ratelimit-remaining': admission.remaining,
      'x-ratelimit-reset': admission.reset,
    });

    const refused = refusalOf(admission);
    if (!refused) return;
    if (codeOf(refused.toJSON()) === 'RATE_LIMITED')
      reply.header('retry-after', Math.max(1, admission.reset - Math.floor(Date.now() / 1000)));
    throw refused;
  };

/** Why the caller may not go on, without a key being a reason. */
export function refusalOf({ refusal }: Admission): GraphQLError | undefined {
  if (!refusal || refusal.code === 'MISSING_KEY') return undefined;
  const code = codeOf({ extensions: refusal });
  return fail(code, refusal.message);
}

/** The close code of a WebSocket that says the same as a status of HTTP. */
export function closeCode(refused: GraphQLError): number {
  const status = errors[codeOf(refused.toJSON())];
  return [400, 401, 403, 429].includes(status) ? 4000 + status : status === 503 ? 1013 : 4500;
}
