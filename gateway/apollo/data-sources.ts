import type { Opening } from '../live/live.ts';
import { subgraphsOf } from '../supergraph/subgraphs.ts';
import type { GraphQLDataSource, ServiceDefinition } from './data-source.ts';
import { RemoteDataSource } from './remote-data-source.ts';
import { dataSourceSource } from './source.ts';

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
