import type { DestinationStream, Logger } from 'pino';
import { pino, stdSerializers } from 'pino';

const secret = ['x-api-key', 'authorization', 'cookie', 'set-cookie', 'x-organization'];

/** Create the logger of a process. It writes JSON lines without credentials, bodies or query strings. */
export function createLogger(level: string, destination: DestinationStream = pino.destination(1)): Logger {
  const options = {
    level,
    redact: {
      paths: secret.flatMap((name) => [`headers["${name}"]`, `*.headers["${name}"]`, `*["${name}"]`, `["${name}"]`]),
      censor: '[hidden]',
    },
    serializers: {
      err: stdSerializers.err,
      // The query string of a GET operation holds its variables.
      req: ({ method, url, ip }: { method: string; url: string; ip: string }) => ({ method, path: url.split('?', 1)[0], ip }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
  };
  return pino(options, destination);
}
