import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Gateway, RequestContext } from 'compiled-gateway';
import {
  createCheck,
  defaultLimits,
  type Limits,
  type Manifest,
  mediaFor,
  readDocument,
  trustDocuments,
} from 'compiled-gateway/graphql-over-http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentNode } from 'graphql';
import { codeOf } from '../../schema/errors.ts';
import { defaultAnswerLimit, defaultBodyLimit } from '../../schema/limits.ts';
import type { Admit } from '../../schema/request.ts';
import type { readConfig } from '../config.ts';
import { CLIENT_LEFT, failureOf, hasLeft, httpError } from '../failure.ts';
import type { Lifetime } from '../lifetime.ts';
import { admitRequest, anonymousBodyFault, credentialHeaders, throwRefusal } from '../request-admission.ts';
import { cors } from '../security.ts';
import type { ReadSession } from '../sign-in/cookies.ts';
import { type Accept, createAccept, createExecution, type Execution, REQUIREMENT } from './accepted-operation.ts';
import { Allowance } from './allowance.ts';
import type { ApolloOptions } from './apollo-executor.ts';
import type { SocketLimits } from './connection.ts';
import { createDocuments, type ReadDocument } from './documents.ts';
import { present } from './graphql-response.ts';
import { checkReadable, createHandler, type HttpExecutor, parseJsonBodies } from './http.ts';
import { createWebSockets, defaultSocketLimits } from './websocket.ts';

export interface GraphQLOptions {
  gateway: Gateway;
  /** Identifies and counts callers. Without it, all callers are admitted and subgraphs must authorize them. */
  admit?: Admit;
  /** Reads the session of the dashboard. Without it, cookies do not count. */
  readSession?: ReadSession;
  /** Lower-case names of headers to forward in addition to the credentials. */
  forward?: readonly string[];
  /** Allow introspection; default true. When false, suggestions in errors and GraphiQL are disabled too. */
  introspection?: boolean;
  /** Operations that GraphiQL opens with. */
  graphiqlExamples?: string;
  /** Manifests of operations that are prepared at start and can be requested by id. */
  trusted?: readonly Manifest[];
  /** Texts of the operations of the product's own pages. Those that the schema can answer are prepared at start, and always accepted. */
  own?: readonly string[];
  /** Reject all operations that are neither trusted nor own. */
  safelist?: boolean;
  /** Run HTTP operations inside Apollo Server. */
  apollo?: ApolloOptions;
  /** Origins allowed by CORS; `*` allows all. */
  corsOrigins?: readonly string[];
  /** Maximum bytes of a body; default 10 MiB. */
  bodyLimit?: number;
  /** Timeout of an operation, in milliseconds; default 60,000. */
  timeout?: number;
  /** Maximum bytes of a response, and of the rows read for it. */
  answerLimit?: number;
  /** Maximum concurrent operations per WebSocket; default 100. */
  maxOperations?: number;
  /** Milliseconds that running WebSocket operations get to finish when the server closes; default 10,000. */
  drainTimeout?: number;
  limits?: Partial<Limits>;
  socketLimits?: Partial<SocketLimits>;
}

/**
 * A plugin for `createServer` that serves `/graphql`: operations over HTTP and WebSocket, subscriptions over WebSocket, and
 * GraphiQL. Throws when a trusted operation is invalid.
 */
export async function graphqlEndpoint(app: FastifyInstance, options: GraphQLOptions): Promise<void> {
  const { gateway, admit, forward, readSession, introspection = true, corsOrigins = [] } = options;
  const { answerLimit = defaultAnswerLimit } = options;
  const { timeout = 60_000, maxOperations = 100, drainTimeout = 10_000, bodyLimit = defaultBodyLimit } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const { accept, read } = documentsOf(options, introspection, limits);
  const execution = createExecution(limits);

  // Without admission, other headers may identify callers.
  const allowance = admit && new Allowance();

  const sockets = createWebSockets(
    {
      gateway,
      execution,
      read,
      accept,
      admit,
      allowance,
      forward,
      readSession,
      timeout,
      maxOperations,
      answerLimit,
      costLimit: limits.cost,
    },
    { ...defaultSocketLimits, ...options.socketLimits },
    drainTimeout,
  );
  app.addHook('preClose', () => sockets.close());

  parseJsonBodies(app);
  app.decorateRequest('context', null as unknown as RequestContext);
  app.decorateRequest('lifetime', null as unknown as Lifetime);
  if (corsOrigins.length > 0) app.addHook('onRequest', cors(corsOrigins, forward));
  const isPageRequest = (request: FastifyRequest) => introspection && wantsPage(request);
  app.addHook('onRequest', async (request, reply) => {
    // GraphiQL is public, and WebSockets authenticate after the handshake.
    if (request.ws || isPageRequest(request) || !methods.includes(request.method)) return;
    reply.header('cache-control', 'private, no-store');
    checkReadable(request);
    const headers = credentialHeaders(request, forward, readSession);
    throwRefusal(await admitRequest({ admit, timeout, answerLimit }, request, reply, headers, REQUIREMENT));
    const fault = admit && anonymousBodyFault(request);
    if (fault) throw httpError(413, fault);
  });
  app.setErrorHandler(answerErrors);

  const executor = await executorOf(app, options, { read, execution });
  const handle = createHandler({ accept, executor, admit, allowance, costLimit: limits.cost });
  app.route({
    method: 'GET',
    url: '/graphql',
    handler: (request, reply) =>
      isPageRequest(request) ? sendGraphiql(request, reply, options.graphiqlExamples) : handle(request, reply),
    wsHandler: (socket, request) => sockets.open(socket, request),
  });
  app.route({ method: 'POST', url: '/graphql', bodyLimit, handler: handle });
  app.route({ method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS'], url: '/graphql', handler: answerMethod });
}

/** The validation and the cache of documents, which follow the supergraph. */
function documentsOf(
  { gateway, trusted, own = [], safelist }: GraphQLOptions,
  introspection: boolean,
  limits: Limits,
): { accept: Accept; read: ReadDocument } {
  const documents = gateway.derive((current) => {
    const check = createCheck(current.schema, { introspection, hideSuggestions: !introspection, limits });
    const accept = createAccept(current, check, limits);
    const prepare = (document: DocumentNode) => void accept(document).plan();
    const known = trusted && trustDocuments(trusted, prepare);
    const served = new Map(own.map((text) => [text, readDocument(text, limits)]));
    for (const [text, document] of served) {
      if (check(document).faults.length === 0) prepare(document);
      else served.delete(text);
    }
    return { accept, read: createDocuments({ schema: current.schema, check, limits, trusted: known, own: served, safelist }) };
  });
  return {
    accept: (document, operationName) => documents().accept(document, operationName),
    read: (request, meter) => documents().read(request, meter),
  };
}

async function executorOf(
  app: FastifyInstance,
  { gateway, apollo, forward }: GraphQLOptions,
  { read, execution }: { read: ReadDocument; execution: Execution },
): Promise<HttpExecutor> {
  if (!apollo) return { read, answer: ({ accepted, execution: request }) => execution.answer(accepted, request) };
  // Loading Apollo Server takes a second.
  const { apolloExecutor } = await import('./apollo-executor.ts');
  const executor = await apolloExecutor({ gateway, read, execution, forward, log: app.log }, apollo);
  app.addHook('onClose', () => executor.close());
  return executor;
}

const methods = ['GET', 'HEAD', 'POST'];

/** Send errors that occur before the operation is read in the GraphQL response format. */
function answerErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (hasLeft(error, reply)) return reply.code(CLIENT_LEFT).send();
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
  throw httpError(405, 'Send operations by POST, or queries by GET');
}

type Settings = Omit<GraphQLOptions, 'gateway' | 'admit'>;

/** The options of `/graphql` from the configuration and its manifests. */
export function settingsOf(config: ReturnType<typeof readConfig>, trusted: Manifest[]): Settings {
  return {
    forward: config.FORWARD_HEADERS,
    introspection: config.INTROSPECTION,
    ...(trusted.length > 0 && { trusted }),
    safelist: config.GRAPHQL_SAFELIST,
    ...(config.APOLLO_SERVER && {
      apollo: { key: config.APOLLO_KEY, graphRef: config.APOLLO_GRAPH_REF },
    }),
    corsOrigins: config.CORS_ORIGINS,
    timeout: config.OPERATION_TIMEOUT * 1_000,
  };
}

interface Page {
  html: string;
  gzipped: Buffer;
  policy: string;
}

const pages = new Map<string | undefined, Promise<Page>>();

/** Whether the request is a browser navigation that accepts HTML. */
const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;

/** Send GraphiQL as one self-contained document that opens with the example operations. */
async function sendGraphiql(request: FastifyRequest, reply: FastifyReply, examples?: string): Promise<FastifyReply> {
  const page = pages.get(examples) ?? renderPage(examples);
  pages.set(examples, page);
  const { html, gzipped, policy } = await page;
  reply.type('text/html; charset=utf-8').headers({ 'content-security-policy': policy, vary: 'accept, accept-encoding' });
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(html);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

/** Rendered on first use, because it takes nine megabytes and most processes never serve it. */
async function renderPage(examples: string | undefined): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({
    title: 'GraphiQL',
    endpoint: '/graphql',
    headers: '{ "x-api-key": "" }',
    defaultEditorToolsVisibility: 'headers',
    subscriptionsProtocol: 'WS',
    ...(examples !== undefined && { defaultQuery: examples }),
    // Do not persist API keys in the browser.
    shouldPersistHeaders: false,
  });
  const script = html.slice(html.indexOf('<script>') + '<script>'.length, html.lastIndexOf('</script>'));
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'unsafe-inline'",
    'worker-src blob:',
    'img-src data:',
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy, gzipped: await promisify(gzip)(html) };
}
