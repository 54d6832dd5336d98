import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { codeOf, ERROR_CODE_HEADER } from '../../schema/errors.ts';
import { type Endpoint, requiredPayload } from '../endpoint.ts';
import { discardFiles, type FormTarget, receiveForm } from '../request/multipart.ts';
import { UNKNOWN_PARAMETERS } from '../request/unknown-parameters.ts';
import type { Parts } from '../request/variables.ts';
import type { Statuses, Surface } from '../surface.ts';
import { entityTag, isNotModified } from './entity-tag.ts';
import { endStream, openStream, sendEvents } from './event-stream.ts';
import { failureBody, type Refusal, refusalOf, statusOf } from './failure.ts';
import { sendFile } from './file.ts';

const JSON_TEXT = 'application/json; charset=utf-8';

/** Execute the operation of an endpoint and send its payload or first error. The timeout is multiplied by `times`. */
export async function answer(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, times = 1): Promise<FastifyReply> {
  const { row, surface, name } = endpoint.route;
  request.operation = name;
  const { params, query, headers } = request as typeof request & Pick<Parts, 'params' | 'query'>;
  // A body must not replace the documented query of a deletion.
  const body = request.method === 'DELETE' ? undefined : request.body;
  const parts = { params, query, headers, body };
  const unknown = endpoint.unknown(parts);
  if (unknown !== undefined) reply.header(UNKNOWN_PARAMETERS, unknown);
  const variables = endpoint.variables(parts);
  if (row.stream) {
    const opened = await request.lifetime.opening(openStream(endpoint, variables, request.context), endStream);
    return 'errors' in opened ? refuse(reply, opened.errors[0]!, surface, row.statuses) : sendEvents(endpoint, opened, reply);
  }
  const answered = await request.lifetime.within(endpoint.operation.execute(variables, request.context), times);
  const [error] = answered.errors ?? [];
  if (error) return refuse(reply, error, surface, row.statuses);
  const payload = requiredPayload(endpoint, answered);
  if (row.reply === 'file') return sendFile(endpoint, variables, payload, request, reply);
  const text = endpoint.write(payload);
  if (surface.entityTags && endpoint.route.method === 'GET') {
    const tag = entityTag(text);
    reply.header('etag', tag);
    if (isNotModified(request.headers['if-none-match'], tag)) return reply.code(304).send();
  }
  return reply
    .code(row.status ?? 200)
    .type(JSON_TEXT)
    .send(text);
}

/**
 * Handle a multipart form: store its files, run the operation, then discard the files that it did not use. That happens when it
 * refused them or replayed a stored response. The operation reads files sequentially, so its timeout is multiplied by their
 * number.
 */
export async function answerForm(
  endpoint: Endpoint,
  target: FormTarget | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { row, name } = endpoint.route;
  if (!row.files || !target) throw new Error(`${name}: there is no store for its files`);
  const { fields, ids } = await receiveForm(request, row.files, target);
  request.body = endpoint.readForm({ ...fields, files: ids });
  try {
    return await answer(endpoint, request, reply, Math.max(1, ids.length));
  } finally {
    await discardFiles(target.store, ids, request.context, request.log);
  }
}

/** Send a GraphQL error in the error format of the surface. */
export function refuse(reply: FastifyReply, error: GraphQLFormattedError, surface: Surface, statuses?: Statuses): FastifyReply {
  return sendRefusal(reply, refusalOf(error), surface, statuses);
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal, surface: Surface, statuses?: Statuses): FastifyReply {
  const status = statusOf(refusal.code, surface, statuses);
  if (refusal.retryAfter !== undefined) reply.header('retry-after', refusal.retryAfter);
  return reply
    .code(status)
    .header(ERROR_CODE_HEADER, refusal.code)
    .type(JSON_TEXT)
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
export const internalError: Refusal = { code: 'INTERNAL_SERVER_ERROR', message: 'Internal Server Error' };

/** Convert a thrown error to a refusal. Returns undefined for unexpected errors, which must be masked. */
export function knownRefusal(error: FastifyError | GraphQLError): Refusal | undefined {
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
