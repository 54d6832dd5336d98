import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { Faults } from '../documents/document-check.ts';
import { isVerbatim } from '../gateway-error.ts';
import type { Present } from '../graphql-over-http.ts';

/** Convert a thrown value to errors of a response. Unknown ones are masked, and logged with an id. */
export function errorsOf(thrown: unknown, log: FastifyBaseLogger): readonly GraphQLFormattedError[] {
  if (thrown instanceof Faults) return thrown.errors.map((error) => error.toJSON());
  if (thrown instanceof GraphQLError) {
    if (thrown.originalError) log.warn({ err: thrown.originalError }, thrown.message);
    return [thrown.toJSON()];
  }
  const id = randomUUID();
  log.error({ err: thrown, id }, 'An operation failed');
  return [{ message: 'Internal Server Error', extensions: { code: 'INTERNAL_SERVER_ERROR', id } }];
}

/** Errors of subgraphs are masked at their source, so only those without a code change here. */
export const present: Present = (error) => {
  const { message, path, locations, extensions = {} } = error instanceof GraphQLError ? error.toJSON() : error;
  if (isVerbatim(extensions)) return error;
  const code = typeof extensions.code === 'string' ? extensions.code : 'INTERNAL_SERVER_ERROR';
  return { message, ...(locations && { locations }), ...(path && { path }), extensions: { ...extensions, code } };
};

const statuses: Record<string, number> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
};

/** The HTTP status of an error that prevented an operation. */
export const statusOf = ({ extensions }: GraphQLFormattedError): number => statuses[String(extensions?.code)] ?? 400;
