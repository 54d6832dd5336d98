import { randomUUID } from 'node:crypto';
import { isVerbatim } from 'compiled-gateway';
import type { FastifyBaseLogger } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { GraphQLError } from 'graphql';
import { codeOf } from '../../schema/errors.ts';
import { Faults } from './check.ts';

/** Refusals before an operation runs keep the codes that GraphQL clients know. */
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
 * An error as callers see it: message, place and code. What has no code of ours is masked, and logged under its id.
 * @param cause what the log shows, where the error itself is only its description
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
    return { message, ...place, extensions: { code, ...(extensions.extra !== undefined && { extra: extensions.extra }) } };
  }

  // A subgraph that masked the error has logged it, under the id it gave.
  const id = typeof extensions.id === 'string' ? extensions.id : randomUUID();
  log.error({ err: rootOf(cause), id, path }, 'operation failed');
  return { message: 'Internal Server Error', ...place, extensions: { code, id } };
}

const rootOf = (error: unknown): unknown =>
  error instanceof GraphQLError && error.originalError ? rootOf(error.originalError) : error;

/** Whatever was thrown, as an error of GraphQL; `present` masks what it does not know. */
export function graphQLError(thrown: unknown): GraphQLError {
  if (thrown instanceof GraphQLError) return thrown;
  return new GraphQLError('Internal Server Error', { originalError: thrown instanceof Error ? thrown : new Error(String(thrown)) });
}

/** The same, where it may be several at once. */
export const errorsOf = (thrown: unknown): readonly GraphQLError[] =>
  thrown instanceof Faults ? thrown.errors : [graphQLError(thrown)];

/** The plain errors of a result, as the instances that servers expect. */
export const revive = (error: GraphQLFormattedError): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError(error.message, { path: error.path, extensions: error.extensions });
