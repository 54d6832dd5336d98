import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginInlineTrace } from '@apollo/server/plugin/inlineTrace';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { GraphQLError, parse } from 'graphql';
import type { Subgraph } from './federation.ts';
import { link } from './federation.ts';

/** Context of the resolvers of a subgraph. */
export interface Caller {
  authorization?: string;
}

export interface CacheHint {
  maxAge: number;
  scope: 'PUBLIC' | 'PRIVATE';
}

/** Gives every answer the same cache hint. */
const caching = (hint: CacheHint): ApolloServerPlugin => ({
  async requestDidStart() {
    return {
      async willSendResponse({ response }) {
        response.http.headers.set('cache-control', `max-age=${hint.maxAge}, ${hint.scope.toLowerCase()}`);
      },
    };
  },
});

/** A subgraph in Apollo Server on a separate port. */
export async function serveByApollo({ typeDefs, resolvers }: Subgraph, cache?: CacheHint) {
  const server = new ApolloServer<Caller>({
    schema: buildSubgraphSchema([{ typeDefs: parse(link + typeDefs), resolvers }]),
    includeStacktraceInErrorResponses: true,
    plugins: [ApolloServerPluginInlineTrace(), ...(cache ? [ApolloServerPluginCacheControlDisabled(), caching(cache)] : [])],
  });
  const { url } = await startStandaloneServer(server, {
    listen: { port: 0, host: '127.0.0.1' },
    context: async ({ req: { headers } }) => {
      if (headers.authorization === 'broken') throw new GraphQLError('log in again', { extensions: { code: 'UNAUTHENTICATED' } });
      return { authorization: headers.authorization };
    },
  });
  return { url, stop: () => server.stop() };
}
