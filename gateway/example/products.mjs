// The subgraph `products`, an Apollo Server.
import { readFile } from 'node:fs/promises';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { GraphQLError, parse } from 'graphql';

const products = [
  { sku: 'LAMP-1', name: 'Desk lamp' },
  { sku: 'SOFA-2', name: 'Corner sofa' },
];

const resolvers = {
  Query: {
    products: () => products,
    myProducts(_, __, { user }) {
      if (!user) throw new GraphQLError('log in first', { extensions: { code: 'UNAUTHENTICATED' } });
      return products.slice(0, 1);
    },
  },
  Product: { __resolveReference: ({ sku }) => products.find((product) => product.sku === sku) },
};

const typeDefs = parse(await readFile(new URL('products.graphql', import.meta.url), 'utf8'));
const server = new ApolloServer({ schema: buildSubgraphSchema([{ typeDefs, resolvers }]) });
const { url } = await startStandaloneServer(server, {
  listen: { host: '127.0.0.1', port: Number(process.env.PORT ?? 4101) },
  context: async ({ req }) => ({ user: req.headers.authorization }),
});
console.log(url);
