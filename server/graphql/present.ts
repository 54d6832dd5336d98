import { randomUUID } from 'node:crypto';
import { isVerbatim } from 'compiled-gateway';
import type { FastifyBaseLogger } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { GraphQLError } from 'graphql';
import { codeOf, type ErrorCode, type RequestErrorCode, requestErrors } from '../../schema/errors.ts';
import { Faults } from './check.ts';

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
