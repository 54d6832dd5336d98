import { AsyncLocalStorage } from 'node:async_hooks';
import { pino } from 'pino';

/** A URL without the parts that may be secret: user name, password, query (signatures) and fragment. */
export const addressOf = (url: string): string => url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1').replace(/[?#].*$/s, '');

const withoutSecrets = (text: string) => text.replace(/[a-z][a-z\d+.-]{0,31}:\/\/[^\s"'<>`]+/gi, addressOf);

/** Error fields without user data. PostgreSQL's `detail` repeats whole rows, and `input` of a URL error repeats the URL. */
const FIELDS = ['code', 'status', 'constraint', 'table', 'severity'] as const;
const MAX_CAUSES = 5;

/** The log fields of an error, with its causes and without user data. */
export function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: withoutSecrets(String(error)) };
  const { name, message, stack = '', cause } = error;
  const fields = FIELDS.map((field) => [field, (error as unknown as Record<string, unknown>)[field]] as const);
  return {
    type: name,
    message: withoutSecrets(message),
    stack: withoutSecrets(stack),
    ...Object.fromEntries(fields.filter(([, value]) => typeof value === 'string' || typeof value === 'number')),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: describeError(cause, depth + 1) }),
  };
}

const subject = new AsyncLocalStorage<Record<string, string>>();

/** Run `work` with fields, such as the ids of the organization and the job, on every line that it logs. */
export const withLogFields = <T>(fields: Record<string, string>, work: () => T): T => subject.run(fields, work);

/** The log of this process. Its level is `info` until the configuration is read. It redacts credentials. */
export const log = pino({
  level: 'info',
  redact: { paths: ['*["x-api-key"]', '*.authorization', '*.apiKey', '*.secret', '*.password'], censor: '••••' },
  serializers: { err: (error: unknown) => describeError(error) },
  mixin: () => subject.getStore() ?? {},
});
