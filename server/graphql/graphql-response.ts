import { randomUUID } from 'node:crypto';
import { isVerbatim } from 'compiled-gateway';
import {
  contentTypes,
  Faults,
  type Media,
  multipartOf,
  type Outcome,
  type PartsFormat,
  type Present,
  textOf,
} from 'compiled-gateway/graphql-over-http';
import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { codeOf, type ErrorCode, errors, type RequestErrorCode, requestErrors } from '../../schema/errors.ts';

/** Seconds until a caller may send a new document, or one that needs what was not available, again. */
const RETRY_AFTER = 5;

/** Send the result of an operation. Its data is JSON text and is not serialized again. */
export function respond(reply: FastifyReply, media: Media, outcome: Outcome): FastifyReply {
  const status = statusOf(outcome, media);
  // The server counts the other refusals of this kind, and knows when their minute ends.
  const isUnavailable = outcome.errors?.some(({ extensions }) => extensions?.code === 'UNAVAILABLE');
  if ((status === 429 || isUnavailable) && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER);
  return reply
    .code(status)
    .header('content-type', contentTypes[media])
    .send(textOf(outcome, presenterOf(reply.log)));
}

/**
 * A result with data has 200, even if fields failed. Without data, the operation did not run, and the status is that of its code. As GraphQL over
 * HTTP demands, plain JSON has 200 for errors in the document and its variables.
 */
function statusOf({ data, errors: [first] = [] }: Outcome, media: Media): number {
  if (data !== undefined || !first) return 200;
  const status = refusalStatus(first);
  return status === 400 && media === 'application/json' ? 200 : status;
}

/** Unlisted codes mean an invalid document. */
function refusalStatus(error: GraphQLFormattedError): number {
  const code = error.extensions?.code;
  return code !== undefined && !Object.hasOwn(errors, String(code)) ? 400 : errors[codeOf(error)];
}

/** Converts errors for callers, and logs those that it masks. */
export const presenterOf =
  (log: FastifyBaseLogger): Present =>
  (error) =>
    present(error, log);

/** Send a response in parts. */
export function respondInParts(reply: FastifyReply, format: PartsFormat, outcome: Outcome): FastifyReply {
  const { contentType, body } = multipartOf(outcome, format, presenterOf(reply.log));
  return reply.code(200).header('content-type', contentType).send(body);
}

/** The code that callers see. */
function shownCode(extensions: { code?: unknown }): ErrorCode | RequestErrorCode {
  const code = String(extensions.code);
  if (Object.hasOwn(requestErrors, code)) return code as RequestErrorCode;
  // The code of Apollo Server and of many external subgraphs.
  return code === 'BAD_USER_INPUT' ? 'INVALID_INPUT' : codeOf({ extensions });
}

/**
 * Convert an error for callers: message, location, path and code. An error with an unknown code is masked and logged with its id.
 * @param cause the error to log, if it differs from `error`
 */
export function present(
  error: GraphQLError | GraphQLFormattedError,
  log: FastifyBaseLogger,
  cause: unknown = error,
): GraphQLFormattedError {
  const { message, locations, path, extensions = {} } = error instanceof GraphQLError ? error.toJSON() : error;
  const place = { ...(locations && { locations }), ...(path && { path }) };
  if (isVerbatim(extensions)) return { message, ...place, extensions };

  const code = shownCode(extensions);
  if (code !== 'INTERNAL_SERVER_ERROR') {
    const { extra, details } = extensions;
    return {
      message,
      ...place,
      extensions: { code, ...(extra !== undefined && { extra }), ...(details !== undefined && { details }) },
    };
  }

  // A subgraph that masked the error also logged it, with the same id.
  const id = typeof extensions.id === 'string' ? extensions.id : randomUUID();
  log.error({ err: rootOf(cause), id, path }, 'Operation failed');
  return { message: 'Internal Server Error', ...place, extensions: { code, id } };
}

const rootOf = (error: unknown): unknown =>
  error instanceof GraphQLError && error.originalError ? rootOf(error.originalError) : error;

/** Convert a thrown value to a `GraphQLError`; `present` masks unknown ones. */
export function graphQLError(thrown: unknown): GraphQLError {
  if (thrown instanceof GraphQLError) return thrown;
  return new GraphQLError('Internal Server Error', { originalError: thrown instanceof Error ? thrown : new Error(String(thrown)) });
}

/** Convert a thrown value to a list of errors. */
export const errorsOf = (thrown: unknown): readonly GraphQLError[] =>
  thrown instanceof Faults ? thrown.errors : [graphQLError(thrown)];

/** Convert a formatted error to a `GraphQLError` instance. */
export const revive = (error: GraphQLFormattedError): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError(error.message, { path: error.path, extensions: error.extensions });
