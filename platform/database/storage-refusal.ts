import type { GraphQLError } from 'graphql';
import { fail } from '../../schema/errors.ts';

const STATE = 'QS001';
const MESSAGE = 'Storage limit reached.';

/** The error of a statement that the storage quota refused; undefined for other errors. */
export function storageRefusal(error: unknown): GraphQLError | undefined {
  const { code, message = '', cause } = (error ?? {}) as { code?: unknown; message?: string; cause?: unknown };
  // Drivers put the statement before the message.
  if (code === STATE) return fail('STORAGE_FULL', message.slice(message.lastIndexOf(MESSAGE)));
  return cause === undefined ? undefined : storageRefusal(cause);
}

/** Throws the refusal of a visitor, who must not learn about the storage of the organization. */
export function hideFromVisitor(error: unknown): never {
  throw storageRefusal(error) ? fail('STORAGE_FULL', 'This is currently unavailable. Please try again later.') : error;
}
