import { pino } from 'pino';

/** The log of this process; `setLevel` applies the configuration once it is read. Credentials never reach it. */
export const log = pino({
  level: 'info',
  redact: { paths: ['*["x-api-key"]', '*.authorization', '*.apiKey', '*.secret', '*.password'], censor: '••••' },
});
