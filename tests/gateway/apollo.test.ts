import { IntrospectAndCompose, RemoteGraphQLDataSource } from '@apollo/gateway';
import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import type { Trace } from '@apollo/usage-reporting-protobuf';
import { GraphQLError, type GraphQLSchema, parse } from 'graphql';
import type { DataSourceRequest, GraphQLDataSource } from '../../gateway/apollo/data-source.ts';
import { RemoteDataSource } from '../../gateway/apollo/remote-data-source.ts';
import type { SupergraphHookOptions } from '../../gateway/apollo/supergraph.ts';
import { CompiledGateway, type CompiledGatewayOptions } from '../../gateway/apollo.ts';
import { type Caller, serveByApollo } from './support/apollo-subgraph.ts';
import { type Subgraph, subgraph } from './support/federation.ts';
import { supergraphOf } from './support/running-federation.ts';

const products = subgraph(
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

const served: Subgraph[] = [];
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

interface Context {
  token?: string;
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Apollo Server with the gateway, on a port of its own. */
async function front(options: Partial<CompiledGatewayOptions> = {}, plugins: ApolloServerPlugin[] = []) {
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

const answer = {
  data: {
    products: [
      { name: 'Lamp', rating: 5 },
      { name: 'Chair', rating: null },
    ],
  },
};

test('an operation runs over several subgraphs, and errors carry the subgraph name', async () => {
  await using server = await front();
  expect((await server.ask('{ products { name rating } }')).body).toEqual({
    ...answer,
    errors: [
      {
        message: 'no rating yet',
        path: ['products', 1, 'rating'],
        extensions: { code: 'TOO_EARLY', serviceName: 'reviews' },
      },
    ],
  });
  expect((await server.ask('query ($id: ID!) { product(id: $id) { rating } }', {}, { id: '1' })).body).toEqual({
    data: { product: { rating: 5 } },
  });
});

test('invalid requests are rejected as in Apollo Server', async () => {
  await using server = await front();
  expect(await server.ask('query ($id: ID!) { product(id: $id) { name } }')).toMatchObject({
    status: 400,
    body: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
  });
  expect(await server.ask('{ nothing }')).toMatchObject({
    status: 400,
    body: { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
  });
  expect((await server.ask('mutation { note }')).body.errors).toHaveLength(1);
  expect((await server.ask('{ __type(name: "Product") { kind } }')).body).toEqual({ data: { __type: { kind: 'OBJECT' } } });
});

test('the response has the most restrictive cache hint of the subgraphs', async () => {
  await using server = await front();
  expect((await server.ask('{ product(id: "1") { name } }')).cache).toBe('max-age=60, public');
  expect((await server.ask('{ product(id: "1") { name rating } }')).cache).toBe('max-age=20, private');
});

const kinds = {
  'a RemoteDataSource': RemoteDataSource,
  'the RemoteGraphQLDataSource of Apollo': RemoteGraphQLDataSource,
} as unknown as Record<string, typeof RemoteDataSource>;

describe.each(Object.entries(kinds))('the hooks of %s', (_, DataSource) => {
  test('change requests and responses', async () => {
    const seen: unknown[] = [];
    class Signed extends DataSource<Record<string, unknown>> {
      override willSendRequest: RemoteDataSource['willSendRequest'] = ({ request, context }) => {
        if (context.token) request.http!.headers.set('authorization', String(context.token));
      };
      override didReceiveResponse: RemoteDataSource['didReceiveResponse'] = ({ response, context, request }) => {
        seen.push([context.token, request.http!.url, response.http!.headers.get('content-type')]);
        return { ...response, data: response.data && { ...response.data, secret: `${response.data.secret}!` } };
      };
    }
    await using server = await front({ buildService: ({ url }) => new Signed({ url: url! }) });
    expect((await server.ask('{ secret }', { authorization: 'Ada' })).body).toEqual({ data: { secret: 'secret of Ada!' } });
    expect(seen).toEqual([['Ada', served[0]!.url, expect.stringContaining('application/json')]]);
  });

  test('may refuse a request', async () => {
    await using server = await front({
      buildService: ({ url }) =>
        new DataSource({
          url: url!,
          willSendRequest() {
            throw new GraphQLError('not today', { extensions: { code: 'CLOSED' } });
          },
        }),
    });
    expect((await server.ask('{ secret }')).body).toEqual({
      data: { secret: null },
      errors: [{ message: 'not today', path: ['secret'], extensions: { code: 'CLOSED', serviceName: 'products' } }],
    });
  });

  test('are not needed for an error of the subgraph', async () => {
    await using server = await front({ buildService: ({ url }) => new DataSource({ url: url! }) });
    expect((await server.ask('{ secret }')).body).toEqual({
      data: { secret: null },
      errors: [{ message: 'log in first', path: ['secret'], extensions: { code: 'UNAUTHENTICATED', serviceName: 'products' } }],
    });
  });
});

test('a subgraph that cannot be reached is unavailable, and the reason is logged', async () => {
  const lines: string[] = [];
  const logger = { ...quiet, error: (line: string) => lines.push(line) };
  const supergraphSdl = supergraphOf([served[0]!, { ...served[1]!, url: 'http://127.0.0.1:1/' }]);
  await using server = await front({ supergraphSdl, logger });
  expect((await server.ask('{ product(id: "1") { name rating } }')).body).toEqual({
    data: { product: { name: 'Lamp', rating: null } },
    errors: [
      {
        message: 'The reviews service cannot be reached. Try again shortly.',
        path: ['product'],
        extensions: { code: 'UNAVAILABLE' },
      },
    ],
  });
  expect(lines.join()).toContain('ECONNREFUSED');
});

test('a data source with only `process` gets the request and the context', async () => {
  const seen: object[] = [];
  const dataSource: GraphQLDataSource = {
    async process({ request, context, pathInIncomingRequest, kind }: DataSourceRequest<Context>) {
      seen.push({ variables: request.variables, name: request.operationName, token: context.token, kind, pathInIncomingRequest });
      return pathInIncomingRequest?.length
        ? { data: { _entities: [{ rating: 1 }] } }
        : { data: { product: { __typename: 'Product', id: '7' } } };
    },
  };
  await using server = await front({ buildService: () => dataSource });
  const { body } = await server.ask(
    'query Rating($id: ID!) { product(id: $id) { rating } }',
    { authorization: 'Ada' },
    { id: '7' },
  );
  expect(body).toEqual({ data: { product: { rating: 1 } } });
  expect(seen).toEqual([
    { variables: { id: '7' }, name: 'Rating__products__0', token: 'Ada', kind: 'incoming operation', pathInIncomingRequest: [] },
    {
      variables: { representations: [{ __typename: 'Product', id: '7' }] },
      name: 'Rating__reviews__1',
      token: 'Ada',
      kind: 'incoming operation',
      pathInIncomingRequest: ['product'],
    },
  ]);
});

test('a supergraph manager replaces the supergraph while the server runs', async () => {
  let hands: SupergraphHookOptions | undefined;
  const updates: unknown[] = [];
  let cleanedUp = 0;
  {
    await using server = await front({
      async supergraphSdl(options) {
        hands = options;
        await options.healthCheck(supergraphOf(served));
        return {
          supergraphSdl: supergraphOf([served[0]!]),
          cleanup: async () => {
            cleanedUp += 1;
          },
        };
      },
      experimental_didUpdateSupergraph: ({ compositionId }, previous) => updates.push([compositionId, previous?.compositionId]),
    });
    expect((await server.ask('{ products { rating } }')).status).toBe(400);
    hands!.update(supergraphOf(served));
    expect((await server.ask('{ product(id: "1") { rating } }')).body).toEqual({ data: { product: { rating: 5 } } });
    expect(() => hands!.update('type Query { a: Int }')).toThrow('is not a composed supergraph');
    expect((await server.ask('{ product(id: "1") { rating } }')).body).toEqual({ data: { product: { rating: 5 } } });
    expect(updates).toEqual([
      [expect.any(String), undefined],
      [expect.any(String), (updates[0] as string[])[0]],
    ]);
  }
  expect(cleanedUp).toBe(1);
  expect(() => hands!.update(supergraphOf(served))).toThrow('stopped');
});

test('an operation that was validated before an update runs on the old supergraph', async () => {
  let update = (_: string) => {};
  const gateway = new CompiledGateway({
    logger: quiet,
    async supergraphSdl(options) {
      update = options.update;
      return { supergraphSdl: supergraphOf(served) };
    },
  });
  const schemas: GraphQLSchema[] = [];
  gateway.onSchemaLoadOrUpdate(({ apiSchema }) => schemas.push(apiSchema));
  const { executor } = await gateway.load();
  update(supergraphOf([served[0]!]));
  const document = parse('{ product(id: "1") { rating } }');
  const answers = schemas.map((schema) => executor!({ schema, document, operationName: null, request: {}, metrics: {} } as never));
  const [old, next] = await Promise.allSettled(answers);
  await gateway.stop();
  expect(old).toEqual({ status: 'fulfilled', value: { data: { product: { rating: 5 } } } });
  expect(next).toMatchObject({ value: { errors: [expect.anything()] } });
});

test('IntrospectAndCompose of Apollo provides the supergraph', async () => {
  const subgraphs = served.map(({ name, url }) => ({ name, url: url! }));
  await using server = await front({
    supergraphSdl: new IntrospectAndCompose({ subgraphs, subgraphHealthCheck: true }),
    buildService: ({ url }) => new RemoteGraphQLDataSource({ url }),
  });
  expect((await server.ask('{ product(id: "1") { name rating } }')).body).toEqual({
    data: { product: { name: 'Lamp', rating: 5 } },
  });
});

test('a supergraph that cannot be served keeps the server from starting', async () => {
  const failing = async (supergraphSdl: string) => new CompiledGateway({ supergraphSdl }).load();
  await expect(failing('{')).rejects.toThrow('is not GraphQL');
  await expect(failing(supergraphOf([{ ...products, url: '' }]))).rejects.toThrow('no address of the subgraph products');
});

test('usage reports contain the traces of the subgraphs', async () => {
  let trace: Trace.IQueryPlanNode | null | undefined;
  let untraced: unknown;
  const capturing: ApolloServerPlugin = {
    async requestDidStart({ metrics }) {
      metrics.captureTraces = true;
      return {
        async willSendResponse() {
          trace = metrics.queryPlanTrace;
          untraced = metrics.nonFtv1ErrorPaths;
        },
      };
    },
  };
  await using server = await front({}, [capturing]);
  await server.ask('{ products { name rating } }');
  const [root, flattened] = trace!.sequence!.nodes!;
  expect(root!.fetch).toMatchObject({ serviceName: 'products', traceParsingFailed: false });
  expect(root!.fetch!.trace!.root!.child!.map(({ responseName, parentType }) => [parentType, responseName])).toEqual([
    ['Query', 'products'],
  ]);
  expect(flattened!.flatten!.responsePath!.map(({ fieldName }) => fieldName)).toEqual(['products', '@']);
  expect(flattened!.flatten!.node!.fetch).toMatchObject({ serviceName: 'reviews', traceParsingFailed: false });
  expect(untraced).toBeUndefined();
});
