import { GraphQLError } from 'graphql';
import { isObject } from './json.ts';

/**
 * The error codes of operations with their HTTP status. A surface may map a code to another status or to a fixed message; the integration
 * API returns 401 for `UNKNOWN_KEY`. GraphQL requests have further codes, in `requestErrors`. No others exist.
 */
export const errors = {
  /** A wrong type, a missing field, an out-of-range page, text that cannot be stored. */
  INVALID_INPUT: 400,
  /** A job that has ended cannot be stopped. */
  NOT_IN_PROGRESS: 400,
  /** The maximum number or size is reached. */
  LIMIT_REACHED: 400,
  MISSING_KEY: 401,
  /** A key that is malformed, expired or disabled. */
  INVALID_KEY: 401,
  /** No credits left. */
  OUT_OF_CREDITS: 402,
  /** The plan or a module of the organization lacks the capability. */
  PLAN_REQUIRED: 402,
  /** The data of the organization have reached its storage quota. Deletions always work. */
  STORAGE_FULL: 402,
  /** A well-formed key that is unknown or revoked. */
  UNKNOWN_KEY: 403,
  /** A valid key whose user is no member of the organization, or no organization has this id or slug. A caller cannot tell which. */
  NO_ACCESS: 403,
  /** A member whose role is too low. */
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  /** The path exists, but not with this method. */
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  /** Well-formed, but not possible in the current state. */
  UNPROCESSABLE: 422,
  RATE_LIMITED: 429,
  INTERNAL_SERVER_ERROR: 500,
  /** A dependency of the request, such as a subgraph or the database, is unreachable. */
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof errors;

/** The further codes of GraphQL requests that cannot run, under the names that GraphQL clients know, with their HTTP status. */
export const requestErrors = {
  /** The document is not GraphQL, or too long. */
  GRAPHQL_PARSE_FAILED: 400,
  /** The document does not fit the schema, or exceeds a limit such as its depth. */
  GRAPHQL_VALIDATION_FAILED: 400,
  /** `operationName` selects no operation of the document. */
  OPERATION_RESOLUTION_FAILURE: 400,
  PERSISTED_QUERY_NOT_FOUND: 400,
  PERSISTED_QUERY_NOT_SUPPORTED: 400,
  CANNOT_SEND_PQ_ID_AND_BODY: 400,
  /** Only trusted documents run on this server. */
  QUERY_NOT_IN_SAFELIST: 400,
  /** The request is not a GraphQL request; its status can also be 405, 406, 408, 413, 415 or 431. */
  BAD_REQUEST: 400,
} as const;

export type RequestErrorCode = keyof typeof requestErrors;

/** The response header of REST that has the code of an error. Bodies have it only where it is documented. */
export const ERROR_CODE_HEADER = 'x-error-code';

/**
 * Create the error that refuses an operation: `throw fail('NOT_FOUND', 'Product not found')`.
 * @param extra more keys of a REST error body, such as `missingIds`; GraphQL returns them as `extensions.extra`
 * @param details facts that only GraphQL returns, as `extensions.details`, because the REST body is documented without them
 */
export function fail(
  code: ErrorCode,
  message: string,
  extra?: Record<string, unknown>,
  details?: Record<string, unknown>,
): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...(extra && { extra }), ...(details && { details }) } });
}

/** The code of an error. Unknown codes count as internal errors. */
export function codeOf(error: { extensions?: object }): ErrorCode {
  const code: unknown = (error.extensions as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && Object.hasOwn(errors, code) ? (code as ErrorCode) : 'INTERNAL_SERVER_ERROR';
}

/** A URL without the parts that may be secret: user name, password, query (signatures) and fragment. */
export const addressOf = (url: string): string => url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1').replace(/[?#].*$/s, '');

const withoutSecrets = (text: string) => text.replace(/[a-z][a-z\d+.-]{0,31}:\/\/[^\s"'<>`]+/gi, addressOf);

/** Error fields without user data. PostgreSQL's `detail` repeats whole rows, and `input` of a URL error repeats the URL. */
const FIELDS = ['code', 'status', 'constraint', 'table', 'severity'] as const;
const MAX_CAUSES = 5;

interface ErrorLike extends Record<string, unknown> {
  message: string;
}

const isErrorLike = (error: unknown): error is ErrorLike => isObject(error) && typeof error.message === 'string';

/** The log fields of an error, with its causes and without user data. */
export function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!isErrorLike(error)) return { message: withoutSecrets(String(error)) };
  const { name, cause, errors } = error;
  const fields = FIELDS.map((field) => [field, error[field]] as const);
  const message = messageOf(error);
  return {
    type: name,
    message,
    stack: [`${name}: ${message}`, ...framesOf(error)].join('\n'),
    ...Object.fromEntries(fields.filter(([, value]) => typeof value === 'string' || typeof value === 'number')),
    ...(depth < MAX_CAUSES && {
      ...(cause !== undefined && { cause: describeError(cause, depth + 1) }),
      ...(Array.isArray(errors) && { errors: errors.slice(0, MAX_CAUSES).map((each) => describeError(each, depth + 1)) }),
    }),
  };
}

/** SQLSTATE codes of data exceptions and syntax errors, whose messages quote the value. */
const QUOTES_VALUE = /^(?:22...|42601)$/;

/** The message without values of rows: the ORM appends `detail` and `hint` of PostgreSQL, and some messages quote a value. */
export function messageOf({ message, code }: { message: string; code?: unknown }): string {
  const [first = ''] = message.split(/\n - (?:detail|hint): /, 1);
  return withoutSecrets(typeof code === 'string' && QUOTES_VALUE.test(code) ? first.replace(/".*"/s, '"…"') : first);
}

/** The lines of the stack below the message. The ORM appends lines of the driver's stack, which may be lines of its message. */
function framesOf({ message, stack }: ErrorLike): string[] {
  const lines = new Set(message.split('\n'));
  const frames = typeof stack === 'string' ? stack.split('\n').filter((line) => /^ {4}at /.test(line) && !lines.has(line)) : [];
  return frames.map(withoutSecrets);
}
