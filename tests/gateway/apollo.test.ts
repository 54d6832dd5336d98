import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import type { Trace } from '@apollo/usage-reporting-protobuf';
import { CompiledGateway } from '../../gateway/apollo.ts';
import { front } from './support/apollo-front.ts';
import { federate, plain, subgraph } from './support/federation.ts';

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

test('access rules of a supergraph are executed, by what the context says about the caller', async () => {
  const { supergraph } = federate([
    subgraph('notes', 'type Query { note: String  secret: String @authenticated @requiresScopes(scopes: [["read"]]) }'),
  ]);
  const gateway = new CompiledGateway({
    supergraphSdl: supergraph,
    buildService: () => ({ process: async () => ({ data: { note: 'n', secret: 's' } }) }),
    authorize: ({ scopes }) => ({ isAuthenticated: scopes !== undefined, scopes }),
  });
  const server = new ApolloServer({ gateway });
  const ask = async (scopes?: string[]) => {
    const { body } = await server.executeOperation({ query: '{ note secret }' }, { contextValue: { scopes } });
    return body.kind === 'single' ? plain(body.singleResult) : undefined;
  };
  try {
    await server.start();
    expect(await ask(['read'])).toEqual({ data: { note: 'n', secret: 's' } });
    expect(await ask([])).toMatchObject({
      data: { note: 'n', secret: null },
      errors: [{ path: ['secret'], extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' } }],
    });
    expect(await ask()).toMatchObject({ data: { note: 'n', secret: null } });
  } finally {
    await server.stop();
  }
});
