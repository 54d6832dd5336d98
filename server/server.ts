import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import websocket from '@fastify/websocket';
import type { FastifyBaseLogger, FastifyInstance, FastifyServerOptions } from 'fastify';
import { fastify } from 'fastify';
import { handleProtocols } from 'graphql-ws';
import type { Checks } from '../schema/readiness.ts';
import { drainRefused } from './drain.ts';
import { answerFailure, answerNotFound } from './failure.ts';
import { healthRoutes } from './health.ts';
import { httpsOnly } from './https-only.ts';
import { OneLine, RequestLog } from './request-log.ts';
import { adviseRetry } from './retry.ts';
import { securityHeaders } from './security-headers.ts';

export interface ServerOptions {
  logger: FastifyBaseLogger;
  /** Certificate and key, as PEM; the server then speaks HTTPS itself. */
  tls?: { cert: string | Buffer; key: string | Buffer };
  /** Believe `X-Forwarded-*` of the one proxy in front. */
  trustProxy?: boolean;
  /** Accept plain HTTP from other than loopback addresses. */
  allowHttp?: boolean;
  /** Bytes of a body, where a route says nothing else. */
  bodyLimit?: number;
  /** What the process needs before it can serve, for `/readyz`. */
  checks?: Checks;
  /** Aborts when the process begins to shut down: `/readyz` answers 503 and connections close after their answer. */
  leaving?: AbortSignal;
  /** Milliseconds that requests in hand get when the server closes. */
  drainTimeout?: number;
  /** Answers a path that cannot be read, so that no route is reached. */
  frameworkErrors?: FastifyServerOptions['frameworkErrors'];
}

/**
 * The shell that every surface is registered on: HTTPS only, request ids, headers, health, masked failures, and a close that
 * lets running requests finish.
 */
export function createServer({
  logger,
  tls,
  trustProxy = false,
  allowHttp = false,
  bodyLimit = 1_048_576,
  checks = {},
  leaving,
  drainTimeout = 10_000,
  frameworkErrors,
}: ServerOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: logger,
    logController: new OneLine(),
    childLoggerFactory: (parent, bindings, options) => new RequestLog(parent, bindings, options),
    bodyLimit,
    // One hop: trusting all of them would let a caller write its own address.
    trustProxy: trustProxy && ((_address, hop) => hop === 0),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    requestTimeout: 300_000,
    // Callers' own identifiers stand in paths.
    routerOptions: { maxParamLength: 1_024 },
    frameworkErrors,
    ...(tls && { https: tls }),
  }) as unknown as FastifyInstance<Server>;

  const secure = securityHeaders();
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(secure).header('x-request-id', request.id);
    done();
  });
  app.addHook('onSend', drainRefused);
  app.addHook('onSend', adviseRetry);
  if (!allowHttp) app.addHook('onRequest', httpsOnly(trustProxy));
  app.setErrorHandler(answerFailure);
  app.setNotFoundHandler(answerNotFound);
  app.register(websocket, {
    options: { maxPayload: 1_048_576, perMessageDeflate: false, handleProtocols },
    // Whoever serves sockets closes them: by default they would be cut with their operations running.
    preClose: (done) => done(),
    // ws closes the socket with the right code by itself; the default would cut it before the code is sent.
    errorHandler: (error, _socket, request) => request.log.info({ err: error }, 'socket failed'),
  });
  app.after(() => healthRoutes(app, checks, leaving));

  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    setTimeout(() => app.server.closeAllConnections(), drainTimeout).unref();
  });
  // A connection kept alive after its last answer would hold up the close.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing || leaving?.aborted) reply.header('connection', 'close');
    done();
  });
  return app;
}
