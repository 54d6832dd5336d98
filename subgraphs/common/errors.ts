import { randomUUID } from 'node:crypto';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { errors } from '../../schema/errors.ts';
import { log } from './log.ts';

/** The one shape errors leave a subgraph in: ours pass, anything else is masked and logged under an id the caller gets. */
export function formatError(error: GraphQLFormattedError): GraphQLFormattedError {
  const { message, path, extensions = {} } = error;
  const cause = error instanceof GraphQLError ? error.originalError : undefined;
  const own = cause instanceof GraphQLError ? cause.extensions : extensions;
  if (typeof own.code === 'string' && Object.hasOwn(errors, own.code)) return { message, path, extensions: own };
  const fault = storageFault(cause ?? error);
  if (fault) return { message: fault, path, extensions: { code: 'INVALID_INPUT' } };
  // What a scalar refuses arrives as a cause without a code.
  if (error instanceof GraphQLError && (!cause || cause instanceof GraphQLError))
    return { message, path, extensions: { code: 'INVALID_INPUT' } };
  const id = randomUUID();
  log.error({ id, err: cause ?? error, path }, 'a resolver failed');
  return { message: 'Internal Server Error', path, extensions: { code: 'INTERNAL_SERVER_ERROR', id } };
}

/** PostgreSQL's refusals of values that passed every check of ours: still the caller's mistake, never a 500. */
function storageFault(error: unknown): string | undefined {
  const code = (error as { code?: unknown }).code;
  if (code === '22P05' || code === '22021') return 'text must not contain characters that cannot be stored';
  if (code === '22003') return 'a number is out of range';
  return undefined;
}
