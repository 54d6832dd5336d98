import { ApolloServer } from '@apollo/server';
import type { SourceRequest, SourceResult } from 'compiled-gateway';
import { execute, parse } from 'graphql';
import type { GraphQLDataSource } from '../../../gateway/apollo/data-source.ts';
import { CompiledGateway } from '../../../gateway/apollo.ts';
import type { Gateway, GatewayOptions } from '../../../gateway/compiled-gateway.ts';
import { anyone, ask, type Federation, gatewayOf, plain, quiet } from './federation.ts';

/** A way to run operations over subgraphs. */
export interface Front {
  readonly name: string;
  /** The gateway over subgraphs in this process. `seen` gets every request to them. */
  gatewayOf(federation: Federation, more?: Partial<GatewayOptions>, seen?: SourceRequest[]): Gateway;
  ask(gateway: Gateway, text: string, variables?: Record<string, unknown>): Promise<SourceResult>;
  close(): Promise<void>;
}

const direct: Front = { name: 'the gateway', gatewayOf, ask, close: async () => {} };

/** Apollo Server with the same gateway; its subgraphs are data sources. */
function behindApollo(): Front {
  const options = new WeakMap<Gateway, { federation: Federation; seen?: SourceRequest[] }>();
  const servers = new Map<Gateway, Promise<ApolloServer>>();

  const start = async (gateway: Gateway): Promise<ApolloServer> => {
    const { federation, seen } = options.get(gateway)!;
    const buildService = ({ name }: { name: string }): GraphQLDataSource => ({
      async process({ request, document }) {
        const { query: text = '', variables = {} } = request;
        seen?.push({ text, variables, document: document ?? parse(text), context: anyone });
        const { data, errors } = await execute({
          schema: federation.schemas[name]!,
          document: parse(text),
          variableValues: variables,
          contextValue: anyone,
        });
        return { data: data as Record<string, unknown> | null, errors: errors?.map((error) => error.toJSON()) };
      },
    });
    const server = new ApolloServer({
      gateway: new CompiledGateway({ supergraphSdl: federation.supergraph, buildService, logger: quiet }),
      logger: quiet,
      includeStacktraceInErrorResponses: false,
    });
    await server.start();
    return server;
  };

  return {
    name: 'Apollo Server with the gateway',
    gatewayOf(federation, more, seen) {
      const gateway = gatewayOf(federation, more, seen);
      options.set(gateway, { federation, seen });
      return gateway;
    },
    async ask(gateway, query, variables = {}) {
      if (!servers.has(gateway)) servers.set(gateway, start(gateway));
      const server = await servers.get(gateway)!;
      const { body } = await server.executeOperation({ query, variables });
      if (body.kind !== 'single') throw new Error('The answer comes in parts');
      const { data, errors } = plain(body.singleResult);
      return { ...(data !== undefined && { data }), ...(errors && { errors: errors.map(withoutService) }) } as SourceResult;
    },
    async close() {
      await Promise.all([...servers.values()].map(async (server) => (await server).stop()));
    },
  };
}

type Shown = { extensions?: Record<string, unknown> };

/** Apollo's gateway adds the name of the subgraph, and has another default code. */
function withoutService({ extensions: { serviceName: _, ...extensions } = {}, ...error }: Shown): Shown {
  const code = extensions.code === 'DOWNSTREAM_SERVICE_ERROR' ? 'INTERNAL_SERVER_ERROR' : extensions.code;
  return { ...error, extensions: { ...extensions, code } };
}

export const fronts: Front[] = [direct, behindApollo()];
