import { GraphQLError } from 'graphql';

/**
 * Every failure a caller can meet, and the HTTP status that goes with it. A surface may answer another status or a fixed
 * message for a code (the integration API answers 401 for `UNKNOWN_KEY`); nothing invents a code in passing.
 */
export const errors = {
  /** A wrong type, a missing field, an out-of-range page, text that cannot be stored. */
  INVALID_INPUT: 400,
  /** A job that has ended cannot be stopped. */
  NOT_IN_PROGRESS: 400,
  /** As many as there may be. */
  LIMIT_REACHED: 400,
  MISSING_KEY: 401,
  /** A key that is malformed, expired or disabled. */
  INVALID_KEY: 401,
  /** No credits left. */
  OUT_OF_CREDITS: 402,
  /** The plan or a module of the organization lacks the capability. */
  PLAN_REQUIRED: 402,
  /** A well-formed key that is unknown or revoked. */
  UNKNOWN_KEY: 403,
  /** A valid key whose user is no member of the organization. */
  NO_ACCESS: 403,
  /** A member whose role is too low. */
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  /** Well-formed, but refused in the state things are in. */
  UNPROCESSABLE: 422,
  RATE_LIMITED: 429,
  INTERNAL_SERVER_ERROR: 500,
  /** A part this answer needs (a subgraph, the database) cannot be reached. */
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof errors;

/**
 * Refuse the operation: `throw fail('NOT_FOUND', 'Product not found')`.
 * @param extra keys that a REST failure body carries beside the message (`missingIds`), and GraphQL under `extensions.extra`
 */
export function fail(code: ErrorCode, message: string, extra?: Record<string, unknown>): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...(extra && { extra }) } });
}

/** The code of an error from any part of the graph; what is not in the list counts as internal. */
export function codeOf(error: { extensions?: object }): ErrorCode {
  const code: unknown = (error.extensions as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && Object.hasOwn(errors, code) ? (code as ErrorCode) : 'INTERNAL_SERVER_ERROR';
}
