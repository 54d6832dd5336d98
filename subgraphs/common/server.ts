import { timingSafeEqual } from 'node:crypto';
import websocket from '@fastify/websocket';
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify';
import { type DocumentNode, GraphQLError, parse } from 'graphql';
import { makeHandler } from 'graphql-ws/use/@fastify/websocket';
import type { RequestContext } from '../../schema/request.ts';
import { formatError } from './errors.ts';
import { log } from './log.ts';
import type { RequestScope } from './scope.ts';
import { inProcess, type Subgraph } from './subgraph.ts';

export interface SubgraphServerOptions {
  subgraph: Subgraph;
  scopeOf: (request: RequestContext) => Promise<RequestScope>;
  /** Only callers that hold it are answered. */
  secret: string;
  /** Rejects while the database cannot be reached. */
  ready: () => Promise<unknown>;
}

const REMEMBERED = 2_000;

/** A subgraph in a process of its own: it answers its gateway and nobody else. */
export async function createSubgraphServer({ subgraph, scopeOf, secret, ready }: SubgraphServerOptions): Promise<FastifyInstance> {
  const app = fastify({ loggerInstance: log as FastifyBaseLogger, disableRequestLogging: true, bodyLimit: 64 * 1024 * 1024 });
  const source = inProcess(subgraph, scopeOf);
  const documents = new Map<string, DocumentNode>();
  const documentOf = (text: string): DocumentNode => {
    const document = documents.get(text) ?? parse(text);
    if (documents.size >= REMEMBERED) documents.clear();
    documents.set(text, document);
    return document;
  };

  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_, reply) =>
    ready().then(
      () => ({ status: 'ready' }),
      () => reply.code(503).send({ status: 'unavailable' }),
    ),
  );

  await app.register(websocket);
  app.route({
    method: 'GET',
    url: '/graphql',
    handler: (_, reply) => reply.code(405).send({ errors: [{ message: 'Use POST, or a WebSocket for subscriptions' }] }),
    wsHandler: makeHandler<{ secret?: unknown }>({
      schema: subgraph.schema,
      onConnect: ({ connectionParams }) => holds(secret, connectionParams?.secret),
      context: (_, __, { extensions }) => scopeOf({ headers: (extensions?.headers ?? {}) as RequestContext['headers'] }),
      onNext: (_, __, ___, ____, { errors, ...result }) => ({ ...result, ...(errors && { errors: errors.map(formatError) }) }),
      onError: (_, __, ___, errors) => errors.map((error) => formatError(error)),
    }),
  });

  app.post<{ Body: { query: string; variables?: Record<string, unknown> } }>('/graphql', async (request, reply) => {
    if (!holds(secret, request.headers['x-subgraph-secret'])) return reply.code(403).send({ errors: [{ message: 'Forbidden' }] });
    const { query: text, variables = {} } = request.body;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const headers = request.headers as RequestContext['headers'];
    return source.execute({ document: documentOf(text), text, variables, context: { headers, signal: gone.signal } });
  });

  app.setErrorHandler((error, _, reply) => {
    if (error instanceof GraphQLError) return reply.code(400).send({ errors: [formatError(error)] });
    log.error({ err: error }, 'a request of the gateway failed');
    return reply.code(500).send({ errors: [{ message: 'Internal Server Error' }] });
  });
  return app;
}

function holds(secret: string, given: unknown): boolean {
  const [wanted, held] = [Buffer.from(secret), Buffer.from(typeof given === 'string' ? given : '')];
  return wanted.length === held.length && timingSafeEqual(wanted, held);
}
