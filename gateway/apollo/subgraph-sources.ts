import type { GatewayGraphQLRequestContext, GatewayGraphQLResponse } from '@apollo/server-gateway-interface';
import { google, Trace } from '@apollo/usage-reporting-protobuf';
import { type DocumentNode, GraphQLError, type GraphQLFormattedError, getOperationAST } from 'graphql';
import type { Opening } from '../live/live-gateway.ts';
import type { RequestContext, Source, SourceRequest } from '../source-contract.ts';
import { subgraphsOf } from '../supergraph/contents.ts';
import { type DataSourceRequest, type GraphQLDataSource, RemoteDataSource, type ServiceDefinition } from './data-source.ts';

export type BuildService = (definition: ServiceDefinition) => GraphQLDataSource;

const healthCheck = 'query __ApolloServiceHealthCheck__ { __typename }';

/** Caches the data sources of a gateway by subgraph name and address. */
export class DataSources {
  readonly #built = new Map<string, GraphQLDataSource>();

  constructor(private readonly build: BuildService = remote) {}

  of({ name, url = '' }: ServiceDefinition): GraphQLDataSource {
    const key = keyOf({ name, url });
    const dataSource = this.#built.get(key) ?? this.build({ name, url });
    this.#built.set(key, dataSource);
    return dataSource;
  }

  openings(supergraphSdl: string): Record<string, Opening> {
    return Object.fromEntries(
      subgraphsOf(supergraphSdl).map((subgraph) => {
        const forget = () => this.#built.delete(keyOf(subgraph));
        const open = () => dataSourceSource(subgraph.name, this.of(subgraph), forget);
        return [subgraph.name, { address: subgraph.url, open }];
      }),
    );
  }

  /** Query `__typename` of every subgraph. Rejects when one of them fails. */
  async checkHealth(supergraphSdl: string): Promise<void> {
    const checks = subgraphsOf(supergraphSdl).map(async (subgraph) => {
      const request = { kind: 'health check', request: { query: healthCheck }, context: {} };
      const { errors } = await this.of(subgraph).process(request);
      if (errors?.length) throw new Error(`The subgraph ${subgraph.name} is not healthy: ${errors[0]!.message}`);
    });
    await Promise.all(checks);
  }
}

const keyOf = ({ name, url }: ServiceDefinition): string => JSON.stringify([name, url]);

function remote({ name, url }: ServiceDefinition): GraphQLDataSource {
  if (!url || !URL.canParse(url))
    throw new Error(`The supergraph has no address of the subgraph ${name}, and there is no buildService`);
  return new RemoteDataSource({ url });
}

/** The request context of an operation that Apollo Server executes. */
export interface ApolloRequestContext extends RequestContext {
  readonly incoming: GatewayGraphQLRequestContext;
  /** Present when the operation is traced. */
  readonly traces?: FetchTraces;
}

/** Adapt a data source to the `Source` interface. */
function dataSourceSource(subgraph: string, dataSource: GraphQLDataSource, closed: () => void): Source {
  return {
    async execute(request) {
      const { incoming, traces } = request.context as ApolloRequestContext;
      const received = traces?.begin(subgraph, request.path ?? []);
      const response = await responseOf(dataSource, requestTo(request, incoming, traces));
      received?.(response);
      noteUntraced(incoming.metrics, subgraph, response);
      return { data: response.data, errors: response.errors?.map((error) => named(error, subgraph)) };
    },
    subscribe: async () => ({ errors: [{ message: 'Apollo Server does not run subscriptions through a gateway' }] }),
    async close() {
      closed();
      await dataSource.close?.();
    },
  };
}

function requestTo(
  { text, document, variables, path }: SourceRequest,
  incoming: GatewayGraphQLRequestContext,
  traces: FetchTraces | undefined,
): DataSourceRequest {
  const headers = traces && new Headers([[...traceHeader]]);
  return {
    kind: 'incoming operation',
    request: {
      query: text,
      operationName: operationNameIn(document),
      variables: { ...variables },
      // Apollo's data sources read only the headers and set the other properties.
      ...(headers && { http: { method: 'POST', url: '', headers } }),
    },
    incomingRequestContext: incoming,
    context: incoming.context,
    document,
    pathInIncomingRequest: [...(path ?? [])],
  };
}

/** Return a `GraphQLError` of a hook or subgraph to the caller; any other error means that the subgraph is unavailable. */
async function responseOf(dataSource: GraphQLDataSource, request: DataSourceRequest): Promise<GatewayGraphQLResponse> {
  try {
    return await dataSource.process(request);
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error.toJSON()] };
    throw error;
  }
}

/** Add the extensions that Apollo's gateway sets on subgraph errors. */
const named = ({ message, path, extensions }: GraphQLFormattedError, serviceName: string): GraphQLFormattedError => ({
  message: message || `Error while fetching subquery from service "${serviceName}"`,
  path,
  extensions: { code: 'DOWNSTREAM_SERVICE_ERROR', ...extensions, serviceName },
});

const names = new WeakMap<DocumentNode, string | undefined>();

function operationNameIn(document: DocumentNode): string | undefined {
  if (!names.has(document)) names.set(document, getOperationAST(document)?.name?.value);
  return names.get(document);
}

type Metrics = GatewayGraphQLRequestContext['metrics'];

/** The header that requests an ftv1 trace from a subgraph. */
const traceHeader = ['apollo-federation-include-trace', 'ftv1'] as const;

/** Collects the traces of an operation's fetches for the usage reports of Apollo Server. */
export class FetchTraces {
  readonly #nodes: Trace.QueryPlanNode[] = [];
  readonly #metrics: Metrics;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** Record the start of a fetch. Call the returned function with its response. */
  begin(serviceName: string, path: readonly (string | number)[]): (response: GatewayGraphQLResponse) => void {
    const fetch = new Trace.QueryPlanNode.FetchNode({ serviceName, sentTime: timestamp() });
    const { startHrTime } = this.#metrics;
    if (startHrTime) {
      const [seconds, nanoseconds] = process.hrtime(startHrTime);
      fetch.sentTimeOffset = seconds * 1e9 + nanoseconds;
    }
    this.#nodes.push(flattened(new Trace.QueryPlanNode({ fetch }), path));
    return ({ extensions }) => {
      fetch.receivedTime = timestamp();
      if (typeof extensions?.ftv1 === 'string') decode(fetch, extensions.ftv1);
    };
  }

  /** Write the trace of all fetches, in start order, to the metrics of the request. */
  end(): void {
    const sequence = new Trace.QueryPlanNode.SequenceNode({ nodes: this.#nodes });
    this.#metrics.queryPlanTrace = new Trace.QueryPlanNode({ sequence });
  }
}

/** Record error paths of a response without a trace; usage reports would miss them otherwise. */
function noteUntraced(metrics: Metrics, subgraph: string, { errors, extensions }: GatewayGraphQLResponse): void {
  if (!errors?.length || extensions?.ftv1) return;
  metrics.nonFtv1ErrorPaths = [...(metrics.nonFtv1ErrorPaths ?? []), ...errors.map(({ path }) => ({ subgraph, path }))];
}

function decode(fetch: Trace.QueryPlanNode.FetchNode, ftv1: string): void {
  try {
    fetch.trace = Trace.decode(Buffer.from(ftv1, 'base64'));
    fetch.traceParsingFailed = false;
  } catch {
    fetch.traceParsingFailed = true;
  }
}

function flattened(node: Trace.QueryPlanNode, path: readonly (string | number)[]): Trace.QueryPlanNode {
  if (path.length === 0) return node;
  const responsePath = path.map(
    (step) => new Trace.QueryPlanNode.ResponsePathElement(typeof step === 'string' ? { fieldName: step } : { index: step }),
  );
  return new Trace.QueryPlanNode({ flatten: new Trace.QueryPlanNode.FlattenNode({ responsePath, node }) });
}

function timestamp(): google.protobuf.Timestamp {
  const now = Date.now();
  return new google.protobuf.Timestamp({ seconds: Math.floor(now / 1_000), nanos: (now % 1_000) * 1e6 });
}
