import { CLIENT_HEADERS, type Client, clientOf, type RequestContext } from 'compiled-gateway';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { codeOf, fail } from '../schema/errors.ts';
import { AnswerBudget, defaultAnswerLimit } from '../schema/limits.ts';
import type { Admission, Admit, Requirement } from '../schema/request.ts';
import { SESSION_HEADER } from '../schema/session.ts';
import { type Lifetime, lifetimeOf } from './lifetime.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request context that the gateway passes to subgraphs. */
    context: RequestContext;
    lifetime: Lifetime;
    /** For the log line of the request. */
    organizationId?: string;
    operation?: string;
  }
}

export interface AdmissionOptions {
  /** Identifies the caller and counts the request. Without it, all requests are admitted. */
  admit?: Admit;
  /** Timeout of an operation, in milliseconds; default 60,000. */
  timeout?: number;
  /** Maximum bytes of a response, and of the rows read for it. */
  answerLimit?: number;
}

/** Maximum bytes of a body or message without a key, because these are parsed before the caller is identified. */
export const anonymousLimit = 262_144;

/** Whether the forwarded headers lack a credential. It does not validate one. */
export const isAnonymous = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  !headers['x-api-key'] && !headers.authorization && !headers[SESSION_HEADER];

/**
 * Start a request: create its lifetime and context, count it, and write the rate-limit headers. Returns the refusal, if any. Call
 * it before the body is read, so that a refused caller does not upload.
 * @param headers forwarded to subgraphs; `Idempotency-Key` is added
 */
export async function admitRequest(
  { admit, timeout = 60_000, answerLimit = defaultAnswerLimit }: AdmissionOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Record<string, string | undefined>,
  requirement: Requirement,
): Promise<Admission['refusal']> {
  const { traceparent, 'idempotency-key': idempotencyKey } = request.headers as Record<string, string | undefined>;
  if (idempotencyKey !== undefined) headers['idempotency-key'] = String(idempotencyKey);
  request.lifetime = lifetimeOf(reply.raw, timeout);
  request.context = { headers, signal: request.lifetime.signal, budget: new AnswerBudget(answerLimit), traceparent };
  if (!admit) {
    request.context.client = namedClient(request.headers);
    return null;
  }
  const admission = await admit(request.context, requirement);
  request.context.client = namedClient(request.headers, admission);
  request.organizationId = admission.organizationId ?? undefined;
  request.context.owner = ownerOf(admission);
  writeLimit(reply, admission);
  return admission.refusal;
}

/** The owner of a caller's requests to subgraphs: the organization, or the user if none is selected. Callers without a valid key share one. */
export const ownerOf = ({ organizationId, userId }: Pick<Admission, 'organizationId' | 'userId'>): string =>
  organizationId ?? userId ?? '';

/** The client that the headers name, or else the key or session. */
export const namedClient = (headers: Readonly<Record<string, unknown>>, admission?: Admission): Client | undefined =>
  clientOf(headers[CLIENT_HEADERS[0]], headers[CLIENT_HEADERS[1]]) ?? clientOf(admission?.clientName);

/** Write the headers of the rate limit. */
export function writeLimit(reply: FastifyReply, { limit, remaining, reset, refusal }: Admission): void {
  reply.headers({ 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset });
  if (refusal?.code === 'RATE_LIMITED') reply.header('retry-after', retryAfterOf(reset));
}

/** Seconds until a time in Unix seconds. Windows take a minute, and the clock of this process may be wrong. */
const retryAfterOf = (reset: number): number => Math.min(60, Math.max(1, reset - Math.floor(Date.now() / 1_000)));

/**
 * The reason not to read the body of a caller without a key. A body of unknown length is refused, because it could be too large.
 */
export function anonymousBodyFault({ headers, context }: FastifyRequest): string | undefined {
  if (!isAnonymous(context.headers)) return undefined;
  const isSmall = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= anonymousLimit;
  return isSmall ? undefined : `without a key, a body must have a Content-Length of at most ${anonymousLimit} bytes`;
}

/** Throw the error of a refused caller. */
export function throwRefusal(refusal: Admission['refusal']): void {
  if (refusal) throw fail(codeOf({ extensions: refusal }), refusal.message);
}
