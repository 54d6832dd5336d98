import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import { describeError } from '../schema/logged-error.ts';
import { pathOf } from './url-path.ts';

const secret = ['x-api-key', 'authorization', 'cookie', 'set-cookie', 'x-organization'];

/** Paths that end with a token. */
const tokens = /^(\/auth\/link|\/invitation)\/.*/;

const shownPath = (url: string) => pathOf(url).replace(tokens, '$1/[hidden]');

/** Create the logger of a process. It writes JSON lines without credentials, tokens, bodies or query strings. */
export function createLogger(level: string, destination: DestinationStream = pino.destination(1)): Logger {
  const options = {
    level,
    redact: {
      paths: secret.flatMap((name) => [`headers["${name}"]`, `*.headers["${name}"]`, `*["${name}"]`, `["${name}"]`]),
      censor: '[hidden]',
    },
    serializers: {
      err: (error: unknown) => describeError(error),
      // The query string of a GET operation holds its variables.
      req: ({ method, url, ip }: { method: string; url: string; ip: string }) => ({ method, path: shownPath(url), ip }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
  };
  return pino(options, destination);
}
