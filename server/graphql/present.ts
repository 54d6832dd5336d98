import { randomUUID } from 'node:crypto';
import { isVerbatim } from 'compiled-gateway';
import type { FastifyBaseLogger } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { GraphQLError } from 'graphql';
import { codeOf } from '../../schema/errors.ts';
import { Faults } from './check.ts';

/** Standard codes of errors that occur before execution, with the codes shown to callers. */
const clientCodes: Record<string, string> = {
  GRAPHQL_PARSE_FAILED: 'GRAPHQL_PARSE_FAILED',
  GRAPHQL_VALIDATION_FAILED: 'GRAPHQL_VALIDATION_FAILED',
  OPERATION_RESOLUTION_FAILURE: 'OPERATION_RESOLUTION_FAILURE',
  PERSISTED_QUERY_NOT_SUPPORTED: 'PERSISTED_QUERY_NOT_SUPPORTED',
  PERSISTED_QUERY_NOT_FOUND: 'PERSISTED_QUERY_NOT_FOUND',
  CANNOT_SEND_PQ_ID_AND_BODY: 'CANNOT_SEND_PQ_ID_AND_BODY',
  QUERY_NOT_IN_SAFELIST: 'QUERY_NOT_IN_SAFELIST',
  BAD_REQUEST: 'BAD_REQUEST',
  BAD_USER_INPUT: 'INVALID_INPUT',
};

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

  const code =
    (Object.hasOwn(clientCodes, String(extensions.code)) && clientCodes[String(extensions.code)]) || codeOf({ extensions });
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
