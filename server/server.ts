import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import websocket from '@fastify/websocket';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify';
import { handleProtocols } from 'graphql-ws';
import ipaddr from 'ipaddr.js';
import { fail } from '../schema/errors.ts';
import { type Checks, readinessOf } from '../schema/readiness.ts';
import { answerFailure, answerNotFound, httpError, type ParserRefusal, parserErrors, rememberRequests } from './failure.ts';
import { pathOf, RequestLog, RequestLogController } from './logging.ts';
import { securityHeaders } from './security.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route accepts plain HTTP, because it carries no data of callers or serves only processes of the product. */
    plainHttp?: boolean;
  }
}

export interface ServerOptions {
  logger: FastifyBaseLogger;
  /** PEM certificate and key. With them, the server terminates TLS. */
  tls?: { cert: string | Buffer; key: string | Buffer };
  /** Trust the `X-Forwarded-*` headers of one proxy. */
  trustProxy?: boolean;
  /** Accept plain HTTP from any address; by default only from loopback addresses. */
  allowHttp?: boolean;
  /** Maximum bytes of a body, unless a route overrides it; default 1 MiB. */
  bodyLimit?: number;
  /** Dependency checks for `/readyz`. */
  checks?: Checks;
  /** Refuse new requests while the process is overloaded. */
  overload?: Overload;
  /** Aborts at the start of a shutdown. Then `/readyz` returns 503 and connections close after their response. */
  leaving?: AbortSignal;
  /** Milliseconds that in-flight requests get to finish when the server closes; default 10,000. */
  drainTimeout?: number;
  /** Handles malformed paths, which reach no route. */
  frameworkErrors?: FastifyServerOptions['frameworkErrors'];
  /** Writes the body of a refusal of the HTTP parser; by default that of `answerFailure`. */
  parserRefusal?: ParserRefusal;
}

/**
 * Create the server on which all surfaces are registered: HTTPS only, request ids, security headers, health endpoints, masked
 * errors and graceful shutdown.
 */
export function createServer({
  logger,
  tls,
  trustProxy = false,
  allowHttp = false,
  bodyLimit = 1_048_576,
  checks = {},
  overload,
  leaving,
  drainTimeout = 10_000,
  frameworkErrors,
  parserRefusal,
}: ServerOptions): FastifyInstance {
  const sockets = new Set<string>();
  const http = {
    shouldUpgradeCallback: ({ method, url }: IncomingMessage) => method === 'GET' && sockets.has(pathOf(url!)),
    // The hook below refuses such requests in the error format of their path.
    requireHostHeader: false,
  };
  const app = fastify({
    loggerInstance: logger,
    logController: new RequestLogController(),
    childLoggerFactory: (parent, bindings, options) => new RequestLog(parent, bindings, options),
    bodyLimit,
    // Trust one hop only; otherwise callers could forge their address.
    trustProxy: trustProxy && ((_address, hop) => hop === 0),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    requestTimeout: 300_000,
    // A request that arrives on an open connection during the shutdown is still answered.
    return503OnClosing: false,
    // Paths contain identifiers that callers choose.
    routerOptions: { maxParamLength: 1_024 },
    frameworkErrors,
    clientErrorHandler: parserErrors(parserRefusal),
    ...(tls ? { https: { ...http, ...tls } } : { http }),
  }) as unknown as FastifyInstance<Server>;

  rememberRequests(app.server);
  app.decorateRequest('organizationId', undefined);
  app.decorateRequest('operation', undefined);
  const secure = securityHeaders();
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(secure).header('x-request-id', request.id);
    done();
  });
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const isIncomplete = raw.headers.host === undefined && raw.httpVersion !== '1.0';
    done(isIncomplete ? httpError(400, 'The Host header is required') : undefined);
  });
  app.addHook('onSend', drainRefused);
  app.addHook('onSend', adviseRetry);
  if (overload) app.addHook('onRequest', shed(overload));
  if (!allowHttp) app.addHook('onRequest', httpsOnly(trustProxy));
  app.setErrorHandler(answerFailure);
  app.setNotFoundHandler(answerNotFound);
  // Any other request with an upgrade header is answered like one without it.
  app.addHook('onRoute', ({ url, wsHandler, websocket: isSocket }) => {
    if (wsHandler || isSocket) sockets.add(url);
  });
  app.register(websocket, {
    options: { maxPayload: 1_048_576, perMessageDeflate: false, handleProtocols },
    // The WebSocket endpoint closes its sockets; the default would terminate them with running operations.
    preClose: (done) => done(),
    // ws closes the socket with the correct code; the default would terminate it before the code is sent.
    errorHandler: (error, _socket, request) => request.log.info({ err: error }, 'WebSocket failed'),
  });
  app.after(() => healthRoutes(app, checks, leaving));

  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    setTimeout(() => app.server.closeAllConnections(), drainTimeout).unref();
  });
  // Keep-alive connections would delay the shutdown.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing || leaving?.aborted) reply.header('connection', 'close');
    done();
  });
  return app;
}

/**
 * Add `/healthz`, which always succeeds, and `/readyz`, which fails during shutdown or while a dependency is unreachable. The
 * response names the missing dependency; only the log has its error.
 */
function healthRoutes(app: FastifyInstance, checks: Checks, leaving?: AbortSignal): void {
  const quiet = { config: { plainHttp: true }, logLevel: 'warn' } as const;
  const readiness = readinessOf(checks, {
    leaving,
    onMissing: (part, err) => app.log.warn({ part, err }, 'Dependency is not ready'),
  });

  app.get('/healthz', quiet, async () => ({ status: 'ok' }));

  app.get('/readyz', quiet, async (_request, reply) => {
    const answer = await readiness();
    return reply.code(answer.status === 'ready' ? 200 : 503).send(answer);
  });
}

const HTTPS_REQUIRED = 'HTTPS is required: plain HTTP is accepted on a loopback address only';

/** Create a hook that refuses plain HTTP. It checks the protocol that a trusted proxy forwards, otherwise the connection. */
const httpsOnly = (trustProxy: boolean) => (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
  const forwarded = trustProxy && request.headers['x-forwarded-proto'] !== undefined;
  if (!forwarded && isLocal(request.raw.socket)) return done();
  if (request.protocol === 'https' || request.routeOptions.config.plainHttp) return done();
  done(fail('FORBIDDEN', HTTPS_REQUIRED));
};

const localSockets = new WeakMap<Socket, boolean>();

/** Cached per connection, because its peer does not change. */
function isLocal(socket: Socket): boolean {
  const local = localSockets.get(socket) ?? isLoopback(socket.remoteAddress);
  localSockets.set(socket, local);
  return local;
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** Maximum bytes of a refused body that the server still reads. */
const MAX_DRAINED = 64 * 1024 * 1024;

/**
 * An `onSend` hook that reads the rest of a refused body, up to a limit. Closing the connection instead would lose the response
 * for a client that is still sending.
 */
function drainRefused({ raw, headers }: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void {
  if (reply.statusCode >= 400 && !raw.complete && Number(headers['content-length']) <= MAX_DRAINED) {
    reply.removeHeader('connection');
    // A parser that failed would hold the stream.
    raw.unpipe();
    raw.resume();
  }
  done();
}

/** Seconds in which a database or subgraph usually restarts. */
const RETRY_AFTER = 5;

/** An `onSend` hook that adds `Retry-After` to every 503 response. */
function adviseRetry(_request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void {
  if (reply.statusCode === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER);
  done();
}

/** One late sample may be a garbage collection; this many in a row are overload. */
const LATE_SAMPLES = 3;
const SAMPLE_MS = 500;
const NANOSECONDS = 1e6;

interface Overload {
  isOverloaded(): boolean;
  stop(): void;
}

/**
 * Watch the event loop of this process. It is overloaded while its mean delay exceeds `maxDelayMs` in three samples in a row. 0 disables
 * the watch.
 */
export function watchOverload(maxDelayMs: number, sampleMs = SAMPLE_MS): Overload {
  if (maxDelayMs === 0) return { isOverloaded: () => false, stop: () => {} };
  const histogram = monitorEventLoopDelay({ resolution: 10 });
  histogram.enable();
  let late = 0;
  const timer = setInterval(() => {
    // Without a record, the loop has not turned since the last sample.
    const delay = histogram.count === 0 ? Number.POSITIVE_INFINITY : histogram.mean / NANOSECONDS;
    late = delay > maxDelayMs ? late + 1 : 0;
    histogram.reset();
  }, sampleMs).unref();
  return {
    isOverloaded: () => late >= LATE_SAMPLES,
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

const HEALTH = new Set(['/healthz', '/readyz']);

/**
 * An `onRequest` hook that refuses new requests with 503 during overload, before their bodies are read, so that accepted ones finish.
 * Health checks pass: a restart would not help.
 */
const shed = ({ isOverloaded }: Overload) =>
  function refuseDuringOverload({ url }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
    const isRefused = isOverloaded() && !HEALTH.has(pathOf(url));
    done(isRefused ? fail('UNAVAILABLE', 'The service is overloaded. Try again shortly.') : undefined);
  };
