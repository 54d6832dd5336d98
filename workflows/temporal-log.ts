import type { Logger } from '@temporalio/worker';
import { log } from '../platform/telemetry/index.ts';

type Write = Logger['info'];

const at =
  (level: 'trace' | 'debug' | 'info' | 'warn' | 'error'): Write =>
  (message, { error, ...meta } = {}) =>
    log[level]({ ...meta, ...(error !== undefined && { err: error }) }, message);

/** Writes the lines of the Temporal SDK to the log of the process. The SDK reports states of the worker at level info. */
export const temporalLog: Logger = {
  trace: at('trace'),
  debug: at('debug'),
  info: at('debug'),
  warn: at('warn'),
  error: at('error'),
  log: (level, message, meta) => temporalLog[level.toLowerCase() as 'info'](message, meta),
};
