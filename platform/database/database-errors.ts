import { GraphQLError } from 'graphql';
import { type ErrorCode, fail } from '../../schema/errors.ts';
import { log } from '../telemetry/index.ts';

/** SQLSTATE codes or two-character classes, and system error codes. */
const codes = new Set([
  // Connection exceptions; insufficient resources (too many connections, full disk).
  ...['08', '53'],
  // A server that became a standby.
  '25006',
  // Admin shutdown, crash, startup, dropped database; timeouts of statements and idle sessions.
  ...['57P01', '57P02', '57P03', '57P04', '57P05', '57014', '25P03'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT'],
]);

/** Errors of the driver itself have no code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed|has already been)|Connection ended)/;

/** Whether the database or the file store was unreachable, disconnected or timed out. The same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && (codes.has(code) || (code.length === 5 && codes.has(code.slice(0, 2))))) return true;
  return messages.test(error.message) || isUnavailable(error.cause);
}

/** Log such an error and return the public error, which hides the cause. */
export function unavailable(err: unknown): GraphQLError {
  log.warn({ err }, 'Database or file store unavailable');
  return fail('UNAVAILABLE', 'The service is not available at the moment. Try again shortly.');
}

/** Convert such errors of `work` to `UNAVAILABLE`, outside of resolvers. */
export function orUnavailable<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof GraphQLError || !isUnavailable(error) ? error : unavailable(error);
  });
}

interface Refusal {
  code: ErrorCode;
  /** The beginning of its message. Drivers put the statement before it. */
  start: string;
}

/** The refusals of triggers, by their SQLSTATE. */
const refusals = {
  QS001: { code: 'STORAGE_FULL', start: 'Storage limit reached.' },
  QP001: { code: 'UNPROCESSABLE', start: 'Not published:' },
} as const satisfies Record<string, Refusal>;

/** The error of a transaction that a trigger of ours refused; undefined for other errors. */
export function triggerRefusal(error: unknown, states: readonly string[] = Object.keys(refusals)): GraphQLError | undefined {
  const { code, message = '', cause } = (error ?? {}) as { code?: unknown; message?: string; cause?: unknown };
  const refusal = states.includes(String(code)) ? refusals[code as keyof typeof refusals] : undefined;
  if (refusal) return fail(refusal.code, message.slice(message.lastIndexOf(refusal.start)));
  return cause === undefined ? undefined : triggerRefusal(cause, states);
}

/** The error of a statement that the storage quota refused; undefined for other errors. */
export const storageRefusal = (error: unknown): GraphQLError | undefined => triggerRefusal(error, ['QS001']);

/** Throws the refusal of a visitor, who must not learn about the storage of the organization. */
export function hideFromVisitor(error: unknown): never {
  throw storageRefusal(error) ? fail('STORAGE_FULL', 'The service is currently unavailable. Please try again later.') : error;
}

const UNIQUE_VIOLATION = '23505';

/** Handles the rejection of a write: `CONFLICT` with this message if a unique value is taken. Throws other errors unchanged. */
export const conflictIfTaken =
  (message: string) =>
  (error: unknown): never => {
    throw (error as { code?: unknown }).code === UNIQUE_VIOLATION ? fail('CONFLICT', message) : error;
  };

/** SQLSTATE classes of values that a column or PostgreSQL itself cannot hold: data exceptions, and exceeded limits of the program. */
const classes = new Set(['22', '54']);
const CHECK_VIOLATION = '23514';

/** Whether PostgreSQL rejected the values of a statement. The same statement fails again, unlike after an outage. */
export function isDataError(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && code.length === 5) return code === CHECK_VIOLATION || classes.has(code.slice(0, 2));
  return cause !== undefined && isDataError(cause);
}
