import type { Gateway, RequestContext } from 'compiled-gateway';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { defaultAnswerLimit } from '../../schema/answer-budget.ts';
import { codeOf } from '../../schema/errors.ts';
import type { Admit } from '../../schema/request.ts';
import { admitRequest, anonymousBodyFault, refusalError } from '../admission.ts';
import { cors } from '../cors.ts';
import { credentialHeaders } from '../credentials.ts';
import { failureOf, refused } from '../failure.ts';
import type { Lifetime } from '../lifetime.ts';
import { type Accept, createAccept } from './accept.ts';
import { createCheck } from './check.ts';
import { createDocuments, type ReadWanted } from './documents.ts';
import { createExecution } from './execution.ts';
import { sendGraphiql, wantsPage } from './graphiql.ts';
import { createHandler } from './handler.ts';
import type { Limits } from './limits.ts';
import { defaultLimits } from './limits.ts';
import { mediaFor } from './media.ts';
import { present } from './present.ts';
import { checkReadable } from './read.ts';
import type { SocketLimits } from './socket.ts';
import type { Manifest } from './trusted.ts';
import { trust } from './trusted.ts';
import { createWebSockets, defaultSocketLimits } from './websocket.ts';

export interface GraphQLOptions {
  gateway: Gateway;
  /** Without, everyone is let in: who is calling is the business of the subgraphs. */
  admit?: Admit;
  /** Headers that are passed on besides the credentials, lower case. */
  forward?: readonly string[];
  /** Let callers read the schema; without, there are no suggestions in errors and no GraphiQL. */
  introspection?: boolean;
  /** Operations that are known beforehand, and may be asked for by their id. */
  trusted?: readonly Manifest[];
  /** Run nothing else. */
  safelist?: boolean;
  /** Origins whose pages may read the answers; `*` means all. */
  corsOrigins?: readonly string[];
  /** Bytes of a body. */
  bodyLimit?: number;
  /** Milliseconds an operation may take. */
  timeout?: number;
  /** Bytes of the answer of an operation, and of the rows read for it. */
  answerLimit?: number;
  /** Operations one WebSocket may run at a time. */
  maxOperations?: number;
  /** Milliseconds that running operations of WebSockets get when the server closes. */
  drainTimeout?: number;
  limits?: Partial<Limits>;
  socketLimits?: Partial<SocketLimits>;
}

/**
 * `/graphql`: operations by HTTP, subscriptions and operations by WebSocket, GraphiQL for browsers. A plugin of `createServer`. Throws
 * when a trusted operation cannot be run.
 */
export async function graphqlEndpoint(app: FastifyInstance, options: GraphQLOptions): Promise<void> {
  const { gateway, admit, forward, introspection = true, trusted, safelist, corsOrigins = [] } = options;
  const { answerLimit = defaultAnswerLimit } = options;
  const { timeout = 60_000, maxOperations = 100, drainTimeout = 10_000, bodyLimit = 10_485_760 } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const documents = gateway.derive((current) => {
    const check = createCheck(current.schema, { introspection, hideSuggestions: !introspection, limits });
    const accept = createAccept(current, check, limits);
    const known = trusted && trust(trusted, (document) => void accept(document).plan());
    return { accept, read: createDocuments({ check, limits, trusted: known, safelist }) };
  });
  const accept: Accept = (document, operationName) => documents().accept(document, operationName);
  const read: ReadWanted = (wanted) => documents().read(wanted);
  const execution = createExecution(accept, limits);

  const sockets = createWebSockets(
    { gateway, execution, read, accept, admit, forward, timeout, maxOperations, answerLimit },
    { ...defaultSocketLimits, ...options.socketLimits },
    drainTimeout,
  );
  app.addHook('preClose', () => sockets.close());

  app.removeContentTypeParser('text/plain');
  app.decorateRequest('context', null as unknown as RequestContext);
  app.decorateRequest('lifetime', null as unknown as Lifetime);
  if (corsOrigins.length > 0) app.addHook('onRequest', cors(corsOrigins, forward));
  const getsPage = (request: FastifyRequest) => introspection && wantsPage(request);
  app.addHook('onRequest', async (request, reply) => {
    // Pages are public; sockets say who they are once they are open.
    if (request.ws || getsPage(request) || !methods.includes(request.method)) return;
    reply.header('cache-control', 'private, no-store');
    checkReadable(request);
    const refusal = refusalError(
      await admitRequest({ admit, timeout, answerLimit }, request, reply, credentialHeaders(request, forward), {
        access: 'public',
      }),
    );
    if (refusal) throw refusal;
    const fault = admit && anonymousBodyFault(request);
    if (fault) throw refused(413, fault);
  });
  app.setErrorHandler(answerErrors);

  const handle = createHandler({ read, accept, execution });
  app.route({
    method: 'GET',
    url: '/graphql',
    handler: (request, reply) => (getsPage(request) ? sendGraphiql(request, reply) : handle(request, reply)),
    wsHandler: (socket, request) => sockets.open(socket, request),
  });
  app.route({ method: 'POST', url: '/graphql', bodyLimit, handler: handle });
  app.route({ method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS'], url: '/graphql', handler: answerMethod });
}

const methods = ['GET', 'HEAD', 'POST'];

/** What fails before an operation is read is answered in the shape that GraphQL clients read. */
function answerErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message } = failureOf(error);
  const known = codeOf({ extensions: (error as { extensions?: { code?: unknown } }).extensions });
  const code = known === 'INTERNAL_SERVER_ERROR' && status < 500 ? 'BAD_REQUEST' : known;
  const shown = present({ message, extensions: { code, id: request.id } }, request.log, error);
  return reply
    .code(status)
    .type(`${mediaFor(request.headers.accept) ?? 'application/json'}; charset=utf-8`)
    .send(JSON.stringify({ errors: [shown] }));
}

async function answerMethod(_request: FastifyRequest, reply: FastifyReply): Promise<never> {
  reply.header('allow', methods.join(', '));
  throw refused(405, 'Send operations by POST, or queries by GET');
}
