import { createServer, type RequestListener } from 'node:http';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type GraphQLSchema, parse } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/http';
import { createYoga } from 'graphql-yoga';
import { listen } from '../../support/listen.ts';
import { link, type Subgraph } from './federation.ts';

/** The other libraries that serve subgraphs over HTTP. */
const libraries: Record<'yoga' | 'graphql-http', (schema: GraphQLSchema) => RequestListener> = {
  yoga: (schema) => createYoga({ schema, logging: false }),
  'graphql-http': (schema) => createHandler({ schema }),
};

/** A subgraph in another library than Apollo Server, on a separate port. */
export async function serveBy(library: keyof typeof libraries, { typeDefs, resolvers }: Subgraph) {
  const schema = buildSubgraphSchema([{ typeDefs: parse(link + typeDefs), resolvers }]);
  const server = createServer(libraries[library](schema));
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
