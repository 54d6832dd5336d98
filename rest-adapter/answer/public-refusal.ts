import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { codeOf, ERROR_CODE_HEADER, type ErrorCode, errors } from '../../schema/errors.ts';
import { isObject } from '../../schema/json.ts';
import type { FailureShape, Statuses, Surface } from '../surfaces.ts';

/** The reason why a request failed, with its public message. */
export interface PublicRefusal {
  code: ErrorCode;
  message: string;
  /** Further keys of the error body. */
  extra?: Readonly<Record<string, unknown>>;
  /** Seconds to wait before a retry. */
  retryAfter?: number;
}

/** Convert a GraphQL error to a refusal. */
export function refusalOf(error: GraphQLFormattedError): PublicRefusal {
  const { extra, retryAfter } = error.extensions ?? {};
  return {
    code: codeOf(error),
    message: error.message,
    ...(isObject(extra) && { extra }),
    ...(typeof retryAfter === 'number' && { retryAfter }),
  };
}

export function statusOf(code: PublicRefusal['code'], surface: Surface, statuses: Statuses = {}): number {
  return statuses[code] ?? surface.statuses?.[code] ?? errors[code];
}

/** The message of a refusal, in the wording of the surface. */
export function messageOf({ code, message }: Pick<PublicRefusal, 'code' | 'message'>, { messages }: Surface): string {
  // A replacement string would interpret `$&` in the message.
  return messages[code]?.replace('{message}', () => message) ?? message;
}

/** The body of a refusal in the error format of the surface. */
export function failureBody(refusal: PublicRefusal, status: number, surface: Surface): Record<string, unknown> {
  return fill(surface.failure, { message: messageOf(refusal, surface), status, code: refusal.code }, refusal.extra);
}

type Filling = { message: string; status: number; code: string };

function fill(shape: FailureShape, filling: Filling, extra?: PublicRefusal['extra']): Record<string, unknown> {
  const filled = Object.entries(shape).map(([key, part]): [string, unknown] => {
    if (typeof part === 'object') return [key, fill(part, filling, extra)];
    return [key, part ? filling[part.slice(1, -1) as keyof Filling] : part];
  });
  const body = Object.fromEntries(filled);
  return Object.values(shape).includes('{message}') ? { ...body, ...extra, ...body } : body;
}

/** Send a GraphQL error in the error format of the surface. */
export function refuse(reply: FastifyReply, error: GraphQLFormattedError, surface: Surface, statuses?: Statuses): FastifyReply {
  return sendRefusal(reply, refusalOf(error), surface, statuses);
}

export function sendRefusal(reply: FastifyReply, refusal: PublicRefusal, surface: Surface, statuses?: Statuses): FastifyReply {
  const status = statusOf(refusal.code, surface, statuses);
  if (refusal.retryAfter !== undefined) reply.header('retry-after', refusal.retryAfter);
  return reply
    .code(status)
    .header(ERROR_CODE_HEADER, refusal.code)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(failureBody(refusal, status, surface)));
}

/**
 * Create the error handler of a surface. It sends known refusals and malformed requests; unexpected errors are masked and logged.
 */
export function errorHandler(surface: Surface, statuses?: Statuses) {
  return (error: FastifyError | GraphQLError, request: FastifyRequest, reply: FastifyReply): void => {
    const known = knownRefusal(error);
    if (!known) request.log.error({ err: error }, 'Request failed');
    void sendRefusal(reply, known ?? internalError, surface, statuses);
  };
}

/** The refusal that masks an unexpected error. */
export const internalError: PublicRefusal = { code: 'INTERNAL_SERVER_ERROR', message: 'Internal Server Error' };

/** Convert a thrown error to a refusal. Returns undefined for unexpected errors, which must be masked. */
export function knownRefusal(error: FastifyError | GraphQLError): PublicRefusal | undefined {
  if ('extensions' in error) return codeOf(error) === 'INTERNAL_SERVER_ERROR' ? undefined : refusalOf(error);
  const { code, statusCode = 500 } = error;
  if (statusCode < 500) return { code: 'INVALID_INPUT', message: unreadable[code] ?? 'the request could not be read' };
  return statusCode === 503 ? { code: 'UNAVAILABLE', message: 'Service Unavailable' } : undefined;
}

const unreadable: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body is too large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body has another length than announced',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the content type must be application/json',
};
