import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { RemoteGraphQLDataSource } from '@apollo/gateway';
import { GraphQLError } from 'graphql';
import type { DataSourceRequest, GraphQLDataSource } from '../../gateway/apollo/data-source.ts';
import { RemoteDataSource } from '../../gateway/apollo/data-source.ts';
import { type Context, front, served } from './support/apollo-front.ts';
import { quiet } from './support/federation.ts';
import { supergraphOf } from './support/running-federation.ts';

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

  test('are not needed to pass on an error of the subgraph', async () => {
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

test('a RemoteDataSource whose hook copies all headers of the caller sends its own transport headers', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    seen.push(request.headers);
    const { query } = (await json(request)) as { query: string };
    const text = JSON.stringify({ data: { query } });
    const isZipped = /gzip/.test(request.headers['accept-encoding'] ?? '');
    response.writeHead(200, { 'content-type': 'application/json', ...(isZipped && { 'content-encoding': 'gzip' }) });
    response.end(isZipped ? gzipSync(text) : text);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const caller = {
    'accept-encoding': 'gzip, br',
    connection: 'upgrade, keep-alive',
    'content-length': '5',
    expect: '100-continue',
    'keep-alive': 'timeout=5',
    te: 'trailers',
    'transfer-encoding': 'chunked',
    upgrade: 'h2c',
    'x-tenant': 'acme',
  };
  const dataSource = new RemoteDataSource({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    willSendRequest({ request }) {
      for (const [name, value] of Object.entries(caller)) request.http!.headers.set(name, value);
    },
  });
  const { data } = await dataSource.process({ kind: 'incoming operation', request: { query: '{ me }' }, context: {} });
  expect(data).toEqual({ query: '{ me }' });
  expect(seen[0]).toMatchObject({ 'x-tenant': 'acme' });
  await dataSource.close();
  server.close();
});
