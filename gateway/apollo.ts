import { createHash } from 'node:crypto';
import type {
  GatewayExecutionResult,
  GatewayGraphQLRequestContext,
  GatewayInterface,
  GatewayLoadResult,
  GatewaySchemaLoadOrUpdateCallback,
  GatewayUnsubscriber,
} from '@apollo/server-gateway-interface';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import type { GraphQLDataSource, ServiceDefinition } from './apollo/data-source.ts';
import type { ApolloRequestContext } from './apollo/subgraph-sources.ts';
import { type BuildService, DataSources, FetchTraces } from './apollo/subgraph-sources.ts';
import type { Gateway, GatewayOptions } from './compiled-gateway.ts';
import { createLiveGateway, type LiveGateway } from './live/live-gateway.ts';
import type { Answer, Authorization } from './source-contract.ts';

export type { DataSourceRequest, GraphQLDataSource } from './apollo/data-source.ts';
export { type CacheHint, cacheHintIn, RemoteDataSource } from './apollo/data-source.ts';
export type { BuildService } from './apollo/subgraph-sources.ts';

type Logger = GatewayGraphQLRequestContext['logger'];

/** The supergraph that the gateway serves; `compositionId` is its SHA-256 hash. */
export interface SupergraphInfo {
  compositionId: string;
  supergraphSdl: string;
  schema: GraphQLSchema;
}

/** The supported options of `ApolloGateway`, with the same names, and the options of this gateway. */
export interface CompiledGatewayOptions extends Pick<GatewayOptions, 'scalars' | 'observer' | 'rejectUnauthorized'> {
  supergraphSdl: SupergraphSdl;
  /** Creates the data source of a subgraph; default `RemoteDataSource`. Reused while name and address stay the same. */
  buildService?: BuildService;
  /** Says what the caller of an operation may select, from the context of Apollo Server. Without it, no field with an access rule. */
  authorize?: (context: GatewayGraphQLRequestContext['context']) => Authorization | Promise<Authorization>;
  logger?: Logger;
  experimental_didUpdateSupergraph?: (current: SupergraphInfo, previous?: SupergraphInfo) => void;
}

/** Runs compiled query plans behind Apollo Server: `new ApolloServer({ gateway: new CompiledGateway({ supergraphSdl }) })`. */
export class CompiledGateway implements GatewayInterface {
  readonly #options: CompiledGatewayOptions;
  readonly #logger: Logger;
  readonly #listeners = new Set<GatewaySchemaLoadOrUpdateCallback>();
  readonly #dataSources: DataSources;
  /** Plan each request with the gateway whose schema validated it. */
  readonly #bySchema = new WeakMap<GraphQLSchema, Gateway>();
  #live?: LiveGateway;
  #served?: SupergraphInfo;
  #cleanup?: () => Promise<void>;
  #isStopped = false;

  constructor(options: CompiledGatewayOptions) {
    this.#options = options;
    this.#logger = options.logger ?? console;
    this.#dataSources = new DataSources(options.buildService);
  }

  onSchemaLoadOrUpdate(callback: GatewaySchemaLoadOrUpdateCallback): GatewayUnsubscriber {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** Apollo Server calls this at start. Rejects when the supergraph is missing or does not build. */
  async load(): Promise<GatewayLoadResult> {
    try {
      const { supergraphSdl, cleanup } = await hookOf(this.#options.supergraphSdl)({
        update: (sdl) => this.#update(sdl),
        healthCheck: (sdl) => this.#dataSources.checkHealth(sdl),
        getDataSource: (definition) => this.#dataSources.of(definition),
      });
      this.#cleanup = cleanup;
      this.#update(supergraphSdl);
    } catch (error) {
      await this.stop();
      throw error;
    }
    return { executor: (incoming) => this.#execute(incoming) };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#cleanup?.();
    await this.#live?.close();
  }

  #update(supergraphSdl: string): void {
    if (this.#isStopped) throw new Error('The gateway is stopped and cannot serve another supergraph');
    const previous = this.#served;
    if (previous?.supergraphSdl === supergraphSdl) return;
    if (this.#live) this.#live.replaceAtOnce(supergraphSdl);
    else this.#live = this.#create(supergraphSdl);
    const { schema } = this.#live;
    this.#served = { compositionId: createHash('sha256').update(supergraphSdl).digest('hex'), supergraphSdl, schema };
    for (const notify of this.#listeners) {
      try {
        notify({ apiSchema: schema, coreSupergraphSdl: supergraphSdl });
      } catch (error) {
        this.#logger.error(`A listener for schema updates failed: ${(error as Error).message}`);
      }
    }
    this.#options.experimental_didUpdateSupergraph?.(this.#served, previous);
  }

  #create(supergraph: string): LiveGateway {
    const { scalars, observer, rejectUnauthorized } = this.#options;
    const live = createLiveGateway({
      supergraph,
      scalars,
      observer,
      rejectUnauthorized,
      openings: (sdl) => this.#dataSources.openings(sdl),
      onFault: (subgraph, error) => this.#logger.error(`The subgraph ${subgraph} failed: ${reasonOf(error)}`),
    });
    live.derive((gateway) => this.#bySchema.set(gateway.schema, gateway));
    return live;
  }

  async #execute(incoming: GatewayGraphQLRequestContext): Promise<GatewayExecutionResult> {
    const { metrics, document, operationName, request, schema } = incoming;
    const traces = metrics.captureTraces ? new FetchTraces(metrics) : undefined;
    const gateway = this.#bySchema.get(schema) ?? this.#live!;
    try {
      const authorization = await this.#options.authorize?.(incoming.context);
      const context: ApolloRequestContext = { headers: {}, incoming, traces, authorization };
      const operation = gateway.operation(document, operationName ?? undefined);
      return resultOf(await operation.execute(request.variables ?? {}, context));
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [refusalOf(error.toJSON())] };
      throw error;
    } finally {
      traces?.end();
    }
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ?? message ?? String(error);
}

/** Functions that a supergraph manager can call, as in `@apollo/gateway`. */
export interface SupergraphHookOptions {
  /** Replace the supergraph. Throws when it does not build; the gateway then keeps the old one. */
  update(supergraphSdl: string): void;
  /** Query `{ __typename }` of every subgraph in a supergraph. Rejects when one of them fails. */
  healthCheck(supergraphSdl: string): Promise<void>;
  /** Return the data source that the gateway uses for a subgraph. */
  getDataSource(definition: ServiceDefinition): GraphQLDataSource;
}

/** Returns the first supergraph and passes later ones to `update`. The gateway calls `cleanup` when it stops. */
type SupergraphHook = (options: SupergraphHookOptions) => Promise<{
  supergraphSdl: string;
  cleanup?: () => Promise<void>;
}>;

/** A supergraph as SDL, or a manager that provides it, such as `IntrospectAndCompose` of `@apollo/gateway`. */
export type SupergraphSdl = string | SupergraphHook | { initialize: SupergraphHook };

function hookOf(given: SupergraphSdl): SupergraphHook {
  if (typeof given === 'string') return async () => ({ supergraphSdl: given });
  return typeof given === 'function' ? given : (options) => given.initialize(options);
}

/** Convert an answer of the gateway to the result that Apollo Server expects. */
function resultOf({ data, errors }: Answer): GatewayExecutionResult {
  if (data === undefined) return { errors: errors?.map(refusalOf) };
  return { data: JSON.parse(data), ...(errors && { errors: errors.map(errorOf) }) };
}

const errorOf = ({ message, path, extensions }: GraphQLFormattedError) => new GraphQLError(message, { path, extensions });

/** Convert the error of an operation that did not run; `INVALID_INPUT` becomes Apollo's `BAD_USER_INPUT`. */
function refusalOf(error: GraphQLFormattedError): GraphQLError {
  const isInput = error.extensions?.code === 'INVALID_INPUT';
  return errorOf(isInput ? { ...error, extensions: { ...error.extensions, code: 'BAD_USER_INPUT' } } : error);
}
