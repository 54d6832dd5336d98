import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codeOf } from '../../schema/errors.ts';
import type { Admit, RequestContext } from '../../schema/request.ts';
import type { Gateway } from '../gateway.ts';
import { admitted } from './caller.ts';
import { createCheck } from './check.ts';
import { createExecution } from './execution.ts';
import { failureOf } from './failure.ts';
import { sendGraphiql, wantsPage } from './graphiql.ts';
import { createApollo } from './graphql.ts';
import type { Limits } from './limits.ts';
import { defaultLimits } from './limits.ts';
import { present } from './present.ts';
import type { SocketLimits } from './socket.ts';
import { createWebSockets, defaultSocketLimits } from './websocket.ts';

export interface GraphQLOptions {
  gateway: Gateway;
  admit: Admit;
  /** Let callers read the schema; without, suggestions go too. */
  introspection?: boolean;
  /** Milliseconds an operation may take. */
  timeout?: number;
  /** Operations one WebSocket may run at a time. */
  maxOperations?: number;
  /** Milliseconds that running operations of WebSockets get when the server closes. */
  drainTimeout?: number;
  limits?: Partial<Limits>;
  socketLimits?: Partial<SocketLimits>;
}

/** `/graphql`: operations by HTTP, subscriptions and operations by WebSocket, GraphiQL for browsers. A plugin of `createServer`. */
export async function graphqlEndpoint(app: FastifyInstance, options: GraphQLOptions): Promise<void> {
  const { gateway, admit, introspection = true, timeout = 60_000, maxOperations = 100, drainTimeout = 10_000 } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const check = createCheck(gateway.schema, { introspection, hideSuggestions: !introspection, limits });
  const execution = createExecution(gateway, check);

  const apollo = createApollo(gateway, execution, limits, app.log);
  await apollo.start();
  const run = fastifyApolloHandler(apollo, { context: async ({ caller }) => ({ caller }) });
  const sockets = createWebSockets(
    { gateway, execution, check, admit, limits, timeout, maxOperations },
    { ...defaultSocketLimits, ...options.socketLimits },
    drainTimeout,
  );
  app.addHook('preClose', () => sockets.close());
  app.addHook('onClose', () => apollo.stop());

  app.decorateRequest('caller', null as unknown as RequestContext);
  const admission = admitted(admit, timeout);
  app.addHook('onRequest', async (request, reply) => {
    // Pages are public; sockets say who they are once they are open.
    if (!request.ws && !wantsPage(request)) await admission(request, reply);
  });
  app.setErrorHandler(answerErrors);

  app.route({
    method: 'GET',
    url: '/graphql',
    exposeHeadRoute: false,
    handler: (request, reply) => (wantsPage(request) ? sendGraphiql(request, reply) : run.call(app, request, reply)),
    wsHandler: (socket, request) => sockets.open(socket, request),
  });
  app.route({ method: 'POST', url: '/graphql', handler: run });
}

/** What fails before an operation is read is answered in the shape that GraphQL clients read. */
function answerErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message } = failureOf(error);
  const known = codeOf({ extensions: (error as { extensions?: { code?: unknown } }).extensions });
  const code = known === 'INTERNAL_SERVER_ERROR' && status < 500 ? 'BAD_REQUEST' : known;
  const shown = present({ message, extensions: { code, id: request.id } }, request.log, error);
  const graphql = request.headers.accept?.includes('application/graphql-response+json');
  return reply
    .code(status)
    .type(graphql ? 'application/graphql-response+json; charset=utf-8' : 'application/json; charset=utf-8')
    .send({ errors: [shown] });
}
