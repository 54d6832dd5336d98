import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import { describeError, ERROR_CODE_HEADER } from '../schema/errors.ts';

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

type Line = Parameters<FastifyBaseLogger['info']>;
type Options = Parameters<FastifyBaseLogger['child']>[1];

/** Levels that are often disabled; then no child logger is created for them. */
type Quiet = 'info' | 'debug' | 'trace';

/** The logger of one request. It creates the child logger on the first line, because most requests log at most one. */
export class RequestLog {
  #own?: FastifyBaseLogger;

  constructor(
    private readonly parent: FastifyBaseLogger & { isLevelEnabled?(level: Quiet): boolean },
    private readonly bindings: Record<string, unknown>,
    private readonly options: Options,
  ) {}

  private get own(): FastifyBaseLogger {
    this.#own ??= this.parent.child(this.bindings, this.options);
    return this.#own;
  }

  private quietly(level: Quiet, line: Line): void {
    if (this.parent.isLevelEnabled?.(level) !== false) this.own[level](...line);
  }

  get level(): string {
    return this.parent.level;
  }

  silent(): void {}

  child(...of: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.own.child(...of);
  }

  fatal(...line: Line): void {
    this.own.fatal(...line);
  }

  error(...line: Line): void {
    this.own.error(...line);
  }

  warn(...line: Line): void {
    this.own.warn(...line);
  }

  info(...line: Line): void {
    this.quietly('info', line);
  }

  debug(...line: Line): void {
    this.quietly('debug', line);
  }

  trace(...line: Line): void {
    this.quietly('trace', line);
  }
}

/** Logs one line per request, on completion: method, path, status, organization, operation, code of the error and milliseconds. */
export class RequestLogController extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(err: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { organizationId, operation } = request;
    const errorCode = reply.getHeader(ERROR_CODE_HEADER);
    const of = { req: request, res: reply, organizationId, operation, errorCode, responseTime: reply.elapsedTime };
    if (err) reply.log.error({ ...of, err }, 'Request failed');
    else reply.log.info(of, 'Request completed');
  }
}

/** The path of a request URL, without its query. */
export const pathOf = (url: string): string => url.split('?', 1)[0]!;
