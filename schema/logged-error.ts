import { isObject } from './json.ts';

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
