import type { Readable } from 'node:stream';
import websocket from '@fastify/websocket';
import type { RequestContext, SourceResult } from 'compiled-gateway';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, fastify, LogController } from 'fastify';
import { type DocumentNode, type ExecutionResult, type FormattedExecutionResult, GraphQLError, parse } from 'graphql';
import { makeHandler } from 'graphql-ws/use/@fastify/websocket';
import { fail } from '../../schema/errors.ts';
import { AnswerBudget, defaultAnswerLimit } from '../../schema/limits.ts';
import { type Checks, readinessOf } from '../../schema/readiness.ts';
import type { FileStore } from '../../schema/request.ts';
import { SizedCache } from '../database/index.ts';
import type { RequestScope } from '../scope/index.ts';
import { isSecret } from '../secrets/index.ts';
import { continueTrace, log } from '../telemetry/index.ts';
import { inProcess, type Subgraph } from './build-subgraph.ts';
import { formatError } from './error-format.ts';

export interface SubgraphServerOptions {
  subgraph: Subgraph;
  scopeOf: (request: RequestContext) => Promise<RequestScope>;
  /** Shared secret that every request must contain. */
  secret: string;
  /** Readiness checks for `/readyz`. */
  checks: Checks;
  /** Aborts when the process begins to shut down. */
  leaving?: AbortSignal;
  /** Maximum bytes of a response, and of the rows read for it. */
  answerLimit?: number;
  /** Stores the content of uploads that the gateway receives. */
  files?: FileStore;
}

/** Cache budget in bytes for parsed documents and the compiled functions that they reference. */
const DOCUMENT_BUDGET = 64 * 1024 * 1024;

/** The HTTP server of a subgraph in its own process. Only its gateway may call it. */
export async function createSubgraphServer({
  subgraph,
  scopeOf,
  secret,
  checks,
  leaving,
  answerLimit = defaultAnswerLimit,
  files,
}: SubgraphServerOptions): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 64 * 1024 * 1024,
    // A request that arrives on an open connection during the shutdown is still answered.
    return503OnClosing: false,
  });
  const source = inProcess(subgraph, scopeOf);
  const documents = new SizedCache<string, DocumentNode>(DOCUMENT_BUDGET);
  const documentOf = (text: string): DocumentNode => {
    const cached = documents.get(text);
    if (cached) return cached;
    const document = parse(text, { noLocation: true });
    documents.set(text, document, sizeOf(text));
    return document;
  };

  app.get('/healthz', async () => ({ status: 'ok' }));
  const readiness = readinessOf(checks, { leaving, onMissing: (part, err) => log.warn({ part, err }, 'Readiness check failed') });
  app.get('/readyz', async ({ headers }, reply) => {
    // Public, but a gateway sends its secret to detect a mismatch.
    const header = headers['x-subgraph-secret'];
    if (header !== undefined && !isSecret(secret, header)) return reply.code(403).send({ status: 'forbidden' });
    const answer = await readiness();
    return reply.code(answer.status === 'ready' ? 200 : 503).send(answer);
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (leaving?.aborted) reply.header('connection', 'close');
    done();
  });

  // Routes take the handler that exists when their plugin has been registered.
  app.setErrorHandler((error, _, reply) => {
    if (error instanceof GraphQLError) return reply.code(400).send({ errors: [formatError(error)] });
    log.error({ err: error }, 'Failed to answer a request of the gateway');
    return reply.code(500).send({ errors: [{ message: 'Internal Server Error' }] });
  });
  await app.register(websocket);
  app.route({
    method: 'GET',
    url: '/graphql',
    handler: (_, reply) => reply.code(405).send({ errors: [{ message: 'Use POST, or a WebSocket for subscriptions' }] }),
    wsHandler: makeHandler<{ secret?: unknown }>({
      schema: subgraph.schema,
      onConnect: ({ connectionParams }) => isSecret(secret, connectionParams?.secret),
      parse: (text) => documentOf(String(text)),
      context: (_, __, { extensions }): RequestContext => ({
        headers: (extensions?.headers ?? {}) as RequestContext['headers'],
        budget: new AnswerBudget(answerLimit),
      }),
      subscribe: async ({ document, variableValues, contextValue }) => {
        const context = contextValue as RequestContext;
        return (await source.subscribe({ document, text: '', variables: variableValues ?? {}, context })) as ExecutionResult;
      },
      // The errors are already formatted.
      onNext: (_, __, ___, ____, result) => result as FormattedExecutionResult,
      onError: (_, __, ___, errors) => errors.map((error) => formatError(error)),
    }),
  });

  app.post<{ Body: { query: string; variables?: Record<string, unknown> } }>('/graphql', async (request, reply) => {
    if (!isSecret(secret, request.headers['x-subgraph-secret']))
      return reply.code(403).send({ errors: [{ message: 'Forbidden' }] });
    const { query: text, variables = {} } = request.body;
    const disconnect = new AbortController();
    reply.raw.once('close', () => disconnect.abort(fail('UNAVAILABLE', 'The caller disconnected.')));
    const headers = request.headers as RequestContext['headers'];
    const budget = new AnswerBudget(answerLimit);
    const context = { headers, signal: disconnect.signal, budget };
    const result = await continueTrace(headers, () => source.execute({ document: documentOf(text), text, variables, context }));
    return limitSize(result, budget);
  });

  if (files) await app.register(async (scope) => serveFiles(scope, files, secret));

  return app;
}

/** Replace a result that is too large with its error. */
function limitSize(result: SourceResult, budget: AnswerBudget): SourceResult {
  try {
    budget.measure(result.data);
    return result;
  } catch (refusal) {
    return { data: null, errors: [formatError(refusal as GraphQLError)] };
  }
}

/** Measured: a compiled document takes 20 kB plus about 100 times the length of its text. */
const sizeOf = (text: string): number => 20_480 + 100 * text.length;

/** Routes of the file store for the gateway. Bodies are streamed without parsing, whatever their content type. */
function serveFiles(app: FastifyInstance, files: FileStore, secret: string): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (_: FastifyRequest, payload: Readable) => payload);
  app.addHook('onRequest', async (request, reply) => {
    if (!isSecret(secret, request.headers['x-subgraph-secret'])) await reply.code(403).send({ message: 'Forbidden' });
  });
  const contextOf = ({ headers }: FastifyRequest) => ({ headers: headers as RequestContext['headers'] });
  app.put<{ Body: Readable }>('/files', async (request) => {
    const { 'x-file-name': name, 'x-file-type': type, 'content-length': bytes } = request.headers;
    const file = { name: decodeURIComponent(String(name)), type: String(type), bytes: Number(bytes), content: request.body };
    return { id: await files.keep(file, contextOf(request)) };
  });
  app.delete<{ Params: { id: string } }>('/files/:id', async (request, reply) => {
    await files.discard([request.params.id], contextOf(request));
    return reply.code(204).send();
  });
}
