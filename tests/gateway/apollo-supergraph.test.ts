import { IntrospectAndCompose, RemoteGraphQLDataSource } from '@apollo/gateway';
import { type GraphQLSchema, parse } from 'graphql';
import type { SupergraphHookOptions } from '../../gateway/apollo.ts';
import { CompiledGateway } from '../../gateway/apollo.ts';
import { front, products, served } from './support/apollo-front.ts';
import { quiet } from './support/federation.ts';
import { supergraphOf } from './support/running-federation.ts';

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
