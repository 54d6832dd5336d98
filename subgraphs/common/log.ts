import { pino } from 'pino';

/** The log of this process, at level `info` until the configuration is read. It never contains credentials. */
export const log = pino({
  level: 'info',
  redact: { paths: ['*["x-api-key"]', '*.authorization', '*.apiKey', '*.secret', '*.password'], censor: '••••' },
});
