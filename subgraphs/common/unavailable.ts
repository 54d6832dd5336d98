import { GraphQLError } from 'graphql';
import { fail } from '../../schema/errors.ts';
import { log } from './log.ts';

/** SQLSTATE codes, or the two characters of their class, and codes of the operating system. */
const codes = new Set([
  // Connection exceptions, and insufficient resources (too many connections, a full disk).
  ...['08', '53'],
  // Shut down by an administrator, crashed, starting up, dropped; the time limits of statements and idle sessions.
  ...['57P01', '57P02', '57P03', '57P04', '57P05', '57014', '25P03'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE'],
]);

/** Failures of the driver itself have no code. */
const sentences =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed|has already been)|Connection ended)/;

/** Whether the database or the file store could not be reached, broke off or took too long: the same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && (codes.has(code) || (code.length === 5 && codes.has(code.slice(0, 2))))) return true;
  return sentences.test(error.message) || isUnavailable(error.cause);
}

/** Logs such a failure and gives the error for the caller, which hides the cause. */
export function unavailable(err: unknown): GraphQLError {
  log.warn({ err }, 'a part that a request needs is not available');
  return fail('UNAVAILABLE', 'The service is not available at the moment. Try again shortly.');
}

/** `work` with such failures as `UNAVAILABLE`, for work that no resolver answers for. */
export function orUnavailable<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof GraphQLError || !isUnavailable(error) ? error : unavailable(error);
  });
}
