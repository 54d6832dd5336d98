import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { RequestContext } from 'compiled-gateway';
import type { FastifyInstance } from 'fastify';
import { fail } from '../../../schema/errors.ts';
import type { Admit } from '../../../schema/request.ts';
import type { GraphQLOptions } from '../../../server/graphql/graphql-endpoint.ts';
import { graphqlEndpoint } from '../../../server/graphql/graphql-endpoint.ts';
import { createLogger } from '../../../server/logging.ts';
import type { ServerOptions } from '../../../server/server.ts';
import { createServer } from '../../../server/server.ts';
import { rootedGateway } from '../support/rooted.ts';

const typeDefs = `
  type Query { hello(name: String): String!  me: Me  broken: String  refused: String  failing: String!  friends(limit: Int = 3): [Me!]!  page(first: Int): Page!  slow(ms: Int!): String  stuck: String  seen: String  text(size: Int!): String! }
  type Me { id: ID!  name: String  friend: Me  friends(limit: Int = 3): [Me!]!  tags: [String!] }
  type Page { nodes: [Me!]!  total: Int }
  type Mutation { note(text: String!): String!  slowNote(ms: Int!): String! }
  type Subscription { ticks(upTo: Int, every: Int, size: Int): String!  broken: String }
`;

/** State that endpoint tests inspect. */
export interface Seen {
  contexts: RequestContext[];
  log: string[];
  /** Open streams at the source. */
  streams: number;
  sent: number;
}

const me = { id: '1', name: 'Ada', friend: () => me, friends: () => [me], tags: ['a'] };

function resolvers(seen: Seen) {
  return {
    hello: ({ name = 'world' }: { name?: string }) => `hello ${name}`,
    me,
    broken: () => {
      throw new Error('secret: postgres://user:password@db');
    },
    refused: () => {
      throw fail('NOT_FOUND', 'Product not found');
    },
    failing: () => {
      throw fail('NOT_FOUND', 'Product not found');
    },
    friends: () => [me],
    page: () => ({ nodes: [me], total: 1 }),
    slow: ({ ms }: { ms: number }, { signal }: RequestContext) => setTimeout(ms, 'done', { signal }),
    // Ignores the signal.
    stuck: () => setTimeout(60_000, 'done', { ref: false }),
    seen: (_: unknown, context: RequestContext) => JSON.stringify(context.headers),
    text: ({ size }: { size: number }) => '.'.repeat(size),
    // Ignores the signal.
    slowNote: async ({ ms }: { ms: number }) => {
      await setTimeout(ms);
      return 'done';
    },
    note: ({ text }: { text: string }) => text,
    async *ticks(
      { upTo = Infinity, every = 5, size = 0 }: { upTo?: number; every?: number; size?: number },
      { signal }: RequestContext,
    ) {
      seen.streams++;
      try {
        for (let tick = 1; tick <= upTo && !signal?.aborted; tick++) {
          await setTimeout(every);
          seen.sent++;
          yield { ticks: `${tick}${'.'.repeat(size)}` };
        }
      } finally {
        seen.streams--;
      }
    },
  };
}

/** Test keys: `good`; `empty` is above its rate limit; `!` is malformed; others are unknown. */
const admit: Admit = async ({ headers }, { access }) => {
  const key = headers['x-api-key'] ?? headers.authorization?.replace('Bearer ', '');
  const count = { limit: 120, remaining: key === 'empty' ? 0 : 119, reset: Math.floor(Date.now() / 1000) + 30 };
  if (key === undefined)
    return access === 'public' ? count : { ...count, refusal: { code: 'MISSING_KEY', message: 'Missing API Key' } };
  if (key === 'empty') return { ...count, refusal: { code: 'RATE_LIMITED', message: 'Rate limit exceeded' } };
  if (key === '!') return { ...count, refusal: { code: 'INVALID_KEY', message: 'Invalid API Key' } };
  if (key === 'boom') throw new Error('secret: the database is gone');
  return key === 'good' ? count : { ...count, refusal: { code: 'UNKNOWN_KEY', message: 'Invalid API Key' } };
};

export interface Endpoint extends AsyncDisposable {
  app: FastifyInstance;
  url: string;
  seen: Seen;
  /** POST an operation; `headers` may name a key. */
  ask(query: string, headers?: Record<string, string>, more?: object): Promise<Answer>;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: { data?: Record<string, unknown> | null; errors?: { message: string; extensions: { code: string; id?: string } }[] };
}

/** The options of each front that can run the operations. */
export const fronts: [name: string, options: Partial<GraphQLOptions>][] = [
  ['the built-in front', {}],
  ['Apollo Server', { apollo: {} }],
];

/** The endpoint on a real port. */
export async function endpoint(
  options: Partial<GraphQLOptions> = {},
  server: Partial<ServerOptions> = {},
  more: (app: FastifyInstance) => void = () => {},
): Promise<Endpoint> {
  const seen: Seen = { contexts: [], log: [], streams: 0, sent: 0 };
  const stream = new Writable({
    write(line, _encoding, done) {
      seen.log.push(String(line));
      done();
    },
  });
  const app = createServer({ logger: createLogger('info', stream), ...server });
  const gateway = rootedGateway(typeDefs, resolvers(seen), ({ context }) => seen.contexts.push(context));
  app.register(graphqlEndpoint, { gateway, admit, ...options });
  more(app);
  const url = (await app.listen({ host: '127.0.0.1', port: 0 })).replace(/^http:/, server.tls ? 'https:' : 'http:');
  return {
    app,
    url,
    seen,
    async ask(query, headers = {}, more = {}) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        // With this media type the status reflects the outcome of the operation.
        headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
        body: JSON.stringify({ query, ...more }),
      });
      return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
    },
    [Symbol.asyncDispose]: async () => {
      await app.close();
    },
  };
}
