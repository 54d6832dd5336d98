import type { RequestContext } from 'compiled-gateway';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLError } from 'graphql';
import { AnswerBudget, defaultAnswerLimit } from '../schema/answer-budget.ts';
import { codeOf, errors, fail } from '../schema/errors.ts';
import type { Admission, Admit, Requirement } from '../schema/request.ts';
import { type Lifetime, lifetimeOf } from './lifetime.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The context that travels with this request through the graph. */
    context: RequestContext;
    lifetime: Lifetime;
  }
}

export interface AdmissionOptions {
  /** Identifies the caller and counts the request; without it everyone is admitted. */
  admit?: Admit;
  /** Time limit of an operation, in milliseconds. */
  timeout?: number;
  /** Bytes of the answer of an operation, and of the rows read for it. */
  answerLimit?: number;
}

/** Bytes that a caller without a key may send in one body or message, because these are parsed before the caller is known. */
export const anonymousLimit = 262_144;

/** Whether the headers that subgraphs see hold a credential. It need not be a valid one. */
export const isAnonymous = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  !headers['x-api-key'] && !headers.authorization;

/**
 * Start a request: create its lifetime and context, count it, and write the rate-limit headers. Returns the refusal, if any. Runs
 * before the body is read, so that a refused caller uploads nothing.
 * @param headers what the subgraphs see of the caller; `Idempotency-Key` is added
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
  if (!admit) return null;
  const { limit, remaining, reset, refusal } = await admit(request.context, requirement);
  reply.headers({ 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset });
  if (refusal?.code === 'RATE_LIMITED') reply.header('retry-after', Math.max(1, reset - Math.floor(Date.now() / 1000)));
  return refusal;
}

/** Why the body of a caller without a key is not read, if so. A body of unknown length cannot be refused before it is read. */
export function anonymousBodyFault({ headers, context }: FastifyRequest): string | undefined {
  if (!isAnonymous(context.headers)) return undefined;
  const isSmall = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= anonymousLimit;
  return isSmall ? undefined : `without a key, a body must have a Content-Length of at most ${anonymousLimit} bytes`;
}

/** The error of a refused GraphQL caller. A missing key is none: operations that need a key say so themselves. */
export function refusalError(refusal: Admission['refusal']): GraphQLError | undefined {
  if (!refusal || refusal.code === 'MISSING_KEY') return undefined;
  return fail(codeOf({ extensions: refusal }), refusal.message);
}

/** The WebSocket close code that corresponds to the HTTP status of an error. */
export function closeCode(error: GraphQLError): number {
  const status = errors[codeOf(error.toJSON())];
  return [400, 401, 403, 429].includes(status) ? 4000 + status : status === 503 ? 1013 : 4500;
}
