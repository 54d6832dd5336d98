import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { GraphQLError } from 'graphql';
import { CompiledGateway, type CompiledGatewayOptions } from '../../../gateway/apollo.ts';
import { type Caller, serveByApollo } from './apollo-subgraph.ts';
import { quiet, type Subgraph, subgraph } from './federation.ts';
import { supergraphOf } from './running-federation.ts';

export const products = subgraph(
  'products',
  `type Query { products: [Product!]! product(id: ID!): Product secret: String }
   type Product @key(fields: "id") { id: ID! name: String }`,
  {
    Query: {
      products: () => [
        { id: '1', name: 'Lamp' },
        { id: '2', name: 'Chair' },
      ],
      product: (_: unknown, { id }: { id: string }) => ({ id, name: 'Lamp' }),
      secret(_: unknown, __: unknown, { authorization }: Caller) {
        if (authorization) return `secret of ${authorization}`;
        throw new GraphQLError('log in first', { extensions: { code: 'UNAUTHENTICATED' } });
      },
    },
  },
);
const reviews = subgraph('reviews', 'type Product @key(fields: "id") { id: ID! rating: Int }', {
  Product: {
    __resolveReference: (product: object) => product,
    rating({ id }: { id: string }) {
      if (id === '1') return 5;
      throw new GraphQLError('no rating yet', { extensions: { code: 'TOO_EARLY' } });
    },
  },
});

/** The running subgraphs. */
export const served: Subgraph[] = [];
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  for (const [each, cache] of [
    [products, { maxAge: 60, scope: 'PUBLIC' }],
    [reviews, { maxAge: 20, scope: 'PRIVATE' }],
  ] as const) {
    const server = await serveByApollo(each, cache);
    closing.push(server.stop);
    served.push({ ...each, url: server.url });
  }
});
afterAll(async () => {
  for (const close of closing) await close();
});

export interface Context {
  token?: string;
}

/** Apollo Server with the gateway, on a port of its own. */
export async function front(options: Partial<CompiledGatewayOptions> = {}, plugins: ApolloServerPlugin[] = []) {
  const gateway = new CompiledGateway({ supergraphSdl: supergraphOf(served), logger: quiet, ...options });
  const server = new ApolloServer<Context>({ gateway, plugins, logger: quiet, includeStacktraceInErrorResponses: false });
  const { url } = await startStandaloneServer(server, {
    listen: { port: 0, host: '127.0.0.1' },
    context: async ({ req }) => ({ token: req.headers.authorization }),
  });
  return {
    gateway,
    async ask(query: string, headers: Record<string, string> = {}, variables = {}) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      });
      return { status: response.status, cache: response.headers.get('cache-control'), body: await response.json() };
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
