import { ApolloServer, type BaseContext, HeaderMap } from '@apollo/server';
import { ApolloServerPluginCacheControl } from '@apollo/server/plugin/cacheControl';
import { ApolloServerPluginLandingPageDisabled, ApolloServerPluginUsageReportingDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginUsageReporting } from '@apollo/server/plugin/usageReporting';
import type { GatewayCachePolicy, GatewayInterface, GatewaySchemaLoadOrUpdateCallback } from '@apollo/server-gateway-interface';
import { type Gateway, SizedCache } from 'compiled-gateway';
import { cacheHintIn } from 'compiled-gateway/apollo';
import { hashIn, type Outcome } from 'compiled-gateway/graphql-over-http';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLFormattedError, print } from 'graphql';
import { SESSION_HEADER } from '../../schema/request.ts';
import { credentials } from '../request-admission.ts';
import { withoutOwnCookies } from '../sign-in/cookies.ts';
import type { Accepted, Execution, ExecutionRequest } from './accepted-operation.ts';
import type { Meter } from './allowance.ts';
import type { DocumentRequest, ReadDocument } from './documents.ts';
import { revive } from './graphql-response.ts';
import type { HttpExecutor } from './http.ts';

export interface ApolloOptions {
  /** Key of the graph in GraphOS. Without it, usage is not reported. */
  key?: string;
  /** `graph@variant` of the usage reports. */
  graphRef?: string;
  /** URL that receives the usage reports; default GraphOS. */
  reportUrl?: string;
}

interface Dependencies {
  gateway: Gateway;
  read: ReadDocument;
  execution: Execution;
  /** Headers that subgraphs receive in addition to the credentials. */
  forward?: readonly string[];
  log: FastifyBaseLogger;
}

/** An operation that passes through Apollo Server. Apollo Server copies its context, but not this object. */
interface Run {
  readonly accepted: Accepted;
  readonly request: ExecutionRequest;
  outcome?: Outcome;
}

interface Context extends BaseContext {
  run: Run;
}

/**
 * Create an executor that runs each operation inside Apollo Server, for its plugins. Documents are checked before and errors are masked
 * after Apollo Server. Its plugins see the errors of an operation but not the data, which stays text.
 */
export async function apolloExecutor(
  { gateway, read, execution, forward = [], log }: Dependencies,
  options: ApolloOptions,
): Promise<HttpExecutor & { close(): Promise<void> }> {
  // Responses differ by these headers.
  const varying = [...credentials, ...forward];
  const persistedQueries = new PersistedQueries(read);

  const run = async ({ run: current }: Context, policy: GatewayCachePolicy) => {
    const { context } = current.request;
    if ([...varying, SESSION_HEADER].some((name) => context.headers[name])) policy.restrict({ scope: 'PRIVATE' });
    context.onCacheControl = (header) => {
      if (policy.maxAge !== 0) policy.restrict(cacheHintIn(header));
    };
    current.outcome = await execution.answer(current.accepted, current.request);
    const { data, errors, extensions } = current.outcome;
    return { ...(data !== undefined && { data: {} }), ...(errors && { errors: errors.map(revive) }), extensions };
  };

  const server = new ApolloServer<Context>({
    gateway: apolloGateway(gateway, run),
    apollo: { key: options.key, graphRef: options.graphRef },
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControl({ calculateHttpHeaders: 'if-cacheable' }),
      options.key
        ? // The product requests no traces from subgraphs, so there are no field statistics.
          ApolloServerPluginUsageReporting({ endpointUrl: options.reportUrl, fieldLevelInstrumentation: 0 })
        : ApolloServerPluginUsageReportingDisabled(),
    ],
    persistedQueries: { cache: persistedQueries },
    // `check.ts` has validated the document in linear time.
    dangerouslyDisableValidation: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: log,
    nodeEnv: 'production',
  });
  await server.start();

  return {
    read: (parameters, meter) => persistedQueries.read(parameters, meter),

    async answer({ accepted, document, parameters, execution: executionRequest, request, reply }) {
      const { operationName, variables, extensions: { persistedQuery, ...extensions } = {} } = parameters;
      const isRegistered = persistedQueries.has(parameters);
      const query = isRegistered ? undefined : (parameters.query ?? textOf(document));
      const registration = persistedQuery && (isRegistered || parameters.query) ? { persistedQuery } : {};
      const current: Run = { accepted, request: executionRequest };
      const { http, body } = await server.executeOperation(
        { query, operationName, variables, extensions: { ...extensions, ...registration }, http: headOf(request) },
        { contextValue: { run: current } },
      );
      for (const [name, value] of http.headers) reply.header(name, value);
      if (http.headers.has('cache-control')) reply.header('vary', ['accept', 'origin', 'cookie', ...varying].join(', '));
      if (current.outcome) return current.outcome;
      if (body.kind === 'incremental') throw new Error('Apollo Server sent an incremental response');
      return { errors: body.singleResult.errors?.map((error) => refusalOf(error, http.status)) };
    },

    close: () => server.stop(),
  };
}

const texts = new WeakMap<DocumentNode, string>();

/** The text of a trusted document. */
function textOf(document: DocumentNode): string {
  const text = texts.get(document) ?? print(document);
  texts.set(document, text);
  return text;
}

/** The method and headers, for plugins, which must not read sessions. */
function headOf({ method, headers }: FastifyRequest) {
  const map = new HeaderMap();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) map.set(name, name === 'cookie' ? withoutOwnCookies(String(value)) : String(value));
  return { method, headers: map, search: '', body: {} };
}

/** An error of Apollo Server itself. Its refusals have a status but no code. */
const refusalOf = (error: GraphQLFormattedError, status: number | undefined): GraphQLFormattedError =>
  status === 400 && error.extensions?.code === 'INTERNAL_SERVER_ERROR' ? { ...error, extensions: { code: 'BAD_REQUEST' } } : error;

/** Adapts the gateway to Apollo Server: the current schema, and a function that runs the operation of a context. */
function apolloGateway<Context>(
  gateway: Gateway,
  run: (context: Context, policy: GatewayCachePolicy) => Promise<ExecutionResult>,
): GatewayInterface {
  const listeners = new Set<GatewaySchemaLoadOrUpdateCallback>();
  return {
    onSchemaLoadOrUpdate(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async load() {
      gateway.derive(({ schema, supergraph }) => {
        for (const listener of listeners) listener({ apiSchema: schema, coreSupergraphSdl: supergraph });
      });
      return {
        executor: async ({ context, overallCachePolicy }) => run(context as Context, overallCachePolicy as GatewayCachePolicy),
      };
    },
    async stop() {
      listeners.clear();
    },
  };
}

/** Maximum bytes of the queries that callers have registered. */
const BUDGET = 16 * 1024 * 1024;

/** Automatic persisted queries: the store of Apollo Server, and the documents of requests that contain only a hash. */
class PersistedQueries {
  readonly #texts = new SizedCache<string, string>(BUDGET);

  constructor(private readonly readDocument: ReadDocument) {}

  /** Trusted documents take precedence. Throws `PERSISTED_QUERY_NOT_FOUND` for an unknown hash. */
  read(request: DocumentRequest, meter?: Meter): DocumentNode {
    try {
      return this.readDocument(request, meter);
    } catch (error) {
      const hash = hashIn(request.extensions);
      if (request.query || request.documentId || hash === undefined || !isUnknown(error)) throw error;
      const query = this.#texts.get(keyOf(hash));
      if (query === undefined)
        throw new GraphQLError('PersistedQueryNotFound', { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } });
      return this.readDocument({ query, operationName: request.operationName }, meter);
    }
  }

  /** Whether the request contains only the hash of a registered query. */
  has({ query, extensions }: DocumentRequest): boolean {
    return !query && this.#texts.get(keyOf(hashIn(extensions) ?? '')) !== undefined;
  }

  async get(key: string): Promise<string | undefined> {
    return this.#texts.get(key);
  }

  async set(key: string, text: string): Promise<void> {
    this.#texts.set(key, text, 2 * text.length);
  }

  async delete(key: string): Promise<void> {
    this.#texts.delete(key);
  }
}

/** The key that Apollo Server uses for a hash. */
const keyOf = (hash: string) => `apq:${hash}`;

const unknownCodes = new Set<unknown>(['PERSISTED_QUERY_NOT_SUPPORTED', 'PERSISTED_QUERY_NOT_FOUND']);
const isUnknown = (error: unknown) => error instanceof GraphQLError && unknownCodes.has(error.extensions.code);
