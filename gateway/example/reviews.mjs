// The subgraph `reviews`, a GraphQL Yoga server.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { GraphQLError, parse } from 'graphql';
import { createYoga } from 'graphql-yoga';

const reviews = new Map([['LAMP-1', [{ stars: 5, text: 'Bright.' }]]]);

const resolvers = {
  Product: { reviews: ({ sku }) => reviews.get(sku) ?? [] },
  Mutation: {
    addReview(_, { sku, ...review }) {
      if (review.stars < 1 || review.stars > 5)
        throw new GraphQLError('stars must be 1 to 5', { extensions: { code: 'BAD_STARS' } });
      reviews.set(sku, [...(reviews.get(sku) ?? []), review]);
      return { sku };
    },
  },
};

const typeDefs = parse(await readFile(new URL('reviews.graphql', import.meta.url), 'utf8'));
const yoga = createYoga({ schema: buildSubgraphSchema([{ typeDefs, resolvers }]) });
const server = createServer(yoga).listen(Number(process.env.PORT ?? 4102), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/graphql`);
});
