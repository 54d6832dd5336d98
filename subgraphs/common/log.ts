import { pino } from 'pino';

/** An address without what may be secret in it: user name, password, query (signatures) and fragment. */
export const addressOf = (url: string): string => url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1').replace(/[?#].*$/s, '');

const withoutSecrets = (text: string) => text.replace(/\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>`]+/gi, addressOf);

/** Fields of drivers that hold no data of users; PostgreSQL's `detail` repeats whole rows, and a bad URL its `input`. */
const FIELDS = ['code', 'status', 'constraint', 'table', 'severity'] as const;
const DEEPEST = 5;

/** An error as a log line shows it, with its causes and without data of users. */
export function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: withoutSecrets(String(error)) };
  const { name, message, stack = '', cause } = error;
  const fields = FIELDS.map((field) => [field, (error as unknown as Record<string, unknown>)[field]] as const);
  return {
    type: name,
    message: withoutSecrets(message),
    stack: withoutSecrets(stack),
    ...Object.fromEntries(fields.filter(([, value]) => typeof value === 'string' || typeof value === 'number')),
    ...(cause !== undefined && depth < DEEPEST && { cause: describeError(cause, depth + 1) }),
  };
}

/** The log of this process, at level `info` until the configuration is read. It never contains credentials. */
export const log = pino({
  level: 'info',
  redact: { paths: ['*["x-api-key"]', '*.authorization', '*.apiKey', '*.secret', '*.password'], censor: '••••' },
  serializers: { err: (error: unknown) => describeError(error) },
});
