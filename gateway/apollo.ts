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
import type { Answer } from '../schema/request.ts';
import type { GraphQLDataSource, ServiceDefinition } from './apollo/data-source.ts';
import { RemoteDataSource } from './apollo/remote-data-source.ts';
import { type ApolloRequestContext, dataSourceSource } from './apollo/source.ts';
import { hookOf, type SupergraphSdl } from './apollo/supergraph.ts';
import { FetchTraces } from './apollo/traces.ts';
import type { Gateway, GatewayOptions } from './gateway.ts';
import { createLiveGateway, type LiveGateway, type Opening } from './live/live.ts';
import { subgraphsOf } from './supergraph/subgraphs.ts';

type Logger = GatewayGraphQLRequestContext['logger'];

/** A supergraph that is served, with the hash that names it. */
export interface SupergraphInfo {
  compositionId: string;
  supergraphSdl: string;
  schema: GraphQLSchema;
}

/** The options of `ApolloGateway` that this gateway knows, by the same names, and those of its own. */
export interface CompiledGatewayOptions extends Pick<GatewayOptions, 'scalars' | 'observer'> {
  supergraphSdl: SupergraphSdl;
  /** Make the data source of a subgraph; a `RemoteDataSource` by default. It is kept while name and address stay the same. */
  buildService?: (definition: ServiceDefinition) => GraphQLDataSource;
  logger?: Logger;
  experimental_didUpdateSupergraph?: (current: SupergraphInfo, previous?: SupergraphInfo) => void;
}

/** Runs compiled query plans behind Apollo Server: `new ApolloServer({ gateway: new CompiledGateway({ supergraphSdl }) })`. */
export class CompiledGateway implements GatewayInterface {
  readonly #options: CompiledGatewayOptions;
  readonly #logger: Logger;
  readonly #listeners = new Set<GatewaySchemaLoadOrUpdateCallback>();
  readonly #dataSources = new Map<string, GraphQLDataSource>();
  /** A request that was validated against one schema must be planned with the same. */
  readonly #bySchema = new WeakMap<GraphQLSchema, Gateway>();
  #live?: LiveGateway;
  #served?: SupergraphInfo;
  #cleanup?: () => Promise<void>;
  #isStopped = false;

  constructor(options: CompiledGatewayOptions) {
    this.#options = options;
    this.#logger = options.logger ?? console;
  }

  onSchemaLoadOrUpdate(callback: GatewaySchemaLoadOrUpdateCallback): GatewayUnsubscriber {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** Apollo Server calls it when it starts. Rejects when there is no supergraph, or when it does not build. */
  async load(): Promise<GatewayLoadResult> {
    try {
      const { supergraphSdl, cleanup } = await hookOf(this.#options.supergraphSdl)({
        update: (sdl) => this.#update(sdl),
        healthCheck: (sdl) => this.#checkHealth(sdl),
        getDataSource: (definition) => this.#dataSource(definition),
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
    const { scalars, observer } = this.#options;
    const live = createLiveGateway({
      supergraph,
      scalars,
      observer,
      openings: (sdl) => Object.fromEntries(subgraphsOf(sdl).map((subgraph) => [subgraph.name, this.#opening(subgraph)])),
      onFault: (subgraph, error) => this.#logger.error(`The subgraph ${subgraph} failed: ${reasonOf(error)}`),
    });
    live.derive((gateway) => this.#bySchema.set(gateway.schema, gateway));
    return live;
  }

  #opening({ name, url }: { name: string; url: string }): Opening {
    const forget = () => this.#dataSources.delete(`${name}\n${url}`);
    return { address: url, open: () => dataSourceSource(name, this.#dataSource({ name, url }), forget) };
  }

  #dataSource({ name, url = '' }: ServiceDefinition): GraphQLDataSource {
    const key = `${name}\n${url}`;
    const made = this.#dataSources.get(key) ?? this.#buildService({ name, url });
    this.#dataSources.set(key, made);
    return made;
  }

  #buildService(definition: ServiceDefinition): GraphQLDataSource {
    const { buildService } = this.#options;
    if (buildService) return buildService(definition);
    const { name, url } = definition;
    if (!url || !URL.canParse(url)) throw new Error(`The supergraph has no address of the subgraph ${name}, and there is no buildService`);
    return new RemoteDataSource({ url });
  }

  async #checkHealth(supergraphSdl: string): Promise<void> {
    const query = 'query __ApolloServiceHealthCheck__ { __typename }';
    const checks = subgraphsOf(supergraphSdl).map(async ({ name, url }) => {
      const dataSource = this.#dataSource({ name, url });
      const { errors } = await dataSource.process({ kind: 'health check', request: { query }, context: {} });
      if (errors?.length) throw new Error(`The subgraph ${name} is not healthy: ${errors[0]!.message}`);
    });
    await Promise.all(checks);
  }

  async #execute(incoming: GatewayGraphQLRequestContext): Promise<GatewayExecutionResult> {
    const { metrics, document, operationName, request, schema } = incoming;
    const traces = metrics.captureTraces ? new FetchTraces(metrics) : undefined;
    const context: ApolloRequestContext = { headers: {}, incoming, traces };
    const gateway = this.#bySchema.get(schema) ?? this.#live!;
    try {
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

function resultOf({ data, errors }: Answer): GatewayExecutionResult {
  if (data === undefined) return { errors: errors?.map(refusalOf) };
  return { data: JSON.parse(data), ...(errors && { errors: errors.map(errorOf) }) };
}

const errorOf = ({ message, path, extensions }: GraphQLFormattedError) => new GraphQLError(message, { path, extensions });

/** Why an operation did not run, with the code that Apollo Server uses for it. */
function refusalOf(error: GraphQLFormattedError): GraphQLError {
  const isInput = error.extensions?.code === 'INVALID_INPUT';
  return errorOf(isInput ? { ...error, extensions: { ...error.extensions, code: 'BAD_USER_INPUT' } } : error);
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ?? message ?? String(error);
}
