import { randomUUID } from 'node:crypto';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ErrorCode, errors } from '../../schema/errors.ts';
import { isUnavailable, triggerRefusal, unavailable } from '../database/index.ts';
import { log } from '../telemetry/index.ts';

/** Format an error of a subgraph. Known codes pass; anything else is masked and logged under an id that the caller receives. */
export function formatError(error: GraphQLFormattedError): GraphQLFormattedError {
  const { message, path, extensions = {} } = error;
  const cause = error instanceof GraphQLError ? error.originalError : undefined;
  const own = cause instanceof GraphQLError ? cause.extensions : extensions;
  if (typeof own.code === 'string' && Object.hasOwn(errors, own.code)) return { message, path, extensions: own };
  const refusal = triggerRefusal(cause ?? error);
  if (refusal) return { message: refusal.message, path, extensions: refusal.extensions };
  const fault = storageFault(cause ?? error);
  if (fault) return { message: fault[1], path, extensions: { code: fault[0] } };
  if (isUnavailable(cause ?? error)) return { ...unavailable(cause ?? error).toJSON(), path };
  // A value that a scalar rejects arrives as a cause without a code.
  if (error instanceof GraphQLError && (!cause || cause instanceof GraphQLError))
    return { message: readable(message), path, extensions: { code: 'INVALID_INPUT' } };
  const id = randomUUID();
  log.error({ id, err: cause ?? error, path }, 'Resolver failed');
  return { message: 'Internal Server Error', path, extensions: { code: 'INTERNAL_SERVER_ERROR', id } };
}

/** The gateway does not detect null for a non-null argument with a default, so its error arrives from here. */
const readable = (message: string) => message.replace(/^Argument "(\w+)" of non-null type .*/s, '$1 must not be null');

type Fault = [code: ErrorCode, message: string];

/** PostgreSQL errors that input can cause despite validation, or a race. They are never a 500. */
const storageFaults: Record<string, Fault> = {
  '22P05': ['INVALID_INPUT', 'text must not contain characters that cannot be stored'],
  '22021': ['INVALID_INPUT', 'text must not contain characters that cannot be stored'],
  '22001': ['INVALID_INPUT', 'a text is too long'],
  '22003': ['INVALID_INPUT', 'a number is out of range'],
  '22007': ['INVALID_INPUT', 'a time is not valid'],
  '22008': ['INVALID_INPUT', 'a time is out of range'],
  '22009': ['INVALID_INPUT', 'a time zone is out of range'],
  '22P02': ['INVALID_INPUT', 'a value has the wrong form'],
  '23502': ['INVALID_INPUT', 'a value that is required must not be null'],
  '23503': ['CONFLICT', 'Something this refers to was deleted meanwhile. Please try again.'],
  '23505': ['CONFLICT', 'A record with the same unique value already exists.'],
  '40001': ['CONFLICT', 'Another request changed the same record at the same time. Please try again.'],
  '55P03': ['CONFLICT', 'Another request changed the same record at the same time. Please try again.'],
  '40P01': ['CONFLICT', 'Another request changed the same record at the same time. Please try again.'],
};

/** The error of input, or of a race, that PostgreSQL detected. */
export const storageFault = (error: unknown): Fault | undefined => storageFaults[String((error as { code?: unknown }).code)];
