import { AsyncLocalStorage } from 'node:async_hooks';
import { pino } from 'pino';
import { describeError } from '../../schema/logged-error.ts';

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
