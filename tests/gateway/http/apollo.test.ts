import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { Report } from '@apollo/usage-reporting-protobuf';
import { createLiveGateway, httpSource, subgraphsOf } from 'compiled-gateway';
import { ConfigurationError, readEnvironment } from '../../../schema/environment.ts';
import { serveByApollo } from '../support/apollo-subgraph.ts';
import { subgraph } from '../support/federation.ts';
import { supergraphOf } from '../support/running-federation.ts';
import { type Endpoint, endpoint } from './endpoint.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const byHash = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });
const query = '{ hello }';

async function send({ url }: Endpoint, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

test('a persisted query runs by its hash once a caller has registered it', async () => {
  await using graph = await endpoint({ apollo: {} });
  const unknown = {
    status: 400,
    body: { errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] },
  };
  expect(await send(graph, { extensions: byHash(hash(query)) })).toMatchObject(unknown);
  const answered = { status: 200, body: { data: { hello: 'hello world' } } };
  expect(await send(graph, { query, extensions: byHash(hash(query)) })).toMatchObject(answered);
  expect(await send(graph, { extensions: byHash(hash(query)) })).toMatchObject(answered);
  const parameters = new URLSearchParams({ extensions: JSON.stringify(byHash(hash(query))) });
  const got = await fetch(`${graph.url}/graphql?${parameters}`, { headers: { 'x-api-key': 'good' } });
  expect(await got.json()).toEqual(answered.body);
});

test('a query that does not match its hash, is invalid or is not in the safelist is not registered', async () => {
  await using graph = await endpoint({ apollo: {} });
  expect(await send(graph, { query, extensions: byHash(hash('{ me { id } }')) })).toMatchObject({
    status: 400,
    body: { errors: [{ message: 'provided sha does not match query', extensions: { code: 'BAD_REQUEST' } }] },
  });
  const invalid = '{ nothing }';
  await send(graph, { query: invalid, extensions: byHash(hash(invalid)) });
  for (const text of ['{ me { id } }', invalid]) {
    expect((await send(graph, { extensions: byHash(hash(text)) })).body.errors[0].message).toBe('PersistedQueryNotFound');
  }

  const trusted = [{ format: 'apollo-persisted-query-manifest', version: 1, operations: [] } as const];
  await using closed = await endpoint({ apollo: {}, trusted, safelist: true });
  expect((await send(closed, { query, extensions: byHash(hash(query)) })).body.errors[0].extensions.code).toBe(
    'QUERY_NOT_IN_SAFELIST',
  );
  expect((await send(closed, { extensions: byHash(hash(query)) })).body.errors[0].message).toBe('PersistedQueryNotFound');
});

test('a mutation that is registered does not run by GET', async () => {
  await using graph = await endpoint({ apollo: {} });
  const mutation = 'mutation { note(text: "a") }';
  expect(await send(graph, { query: mutation, extensions: byHash(hash(mutation)) })).toMatchObject({ status: 200 });
  const parameters = new URLSearchParams({ extensions: JSON.stringify(byHash(hash(mutation))) });
  const got = await fetch(`${graph.url}/graphql?${parameters}`, { headers: { 'x-api-key': 'good' } });
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
});

test('usage is reported with the name and the client of an operation, without variables and keys', async () => {
  const reports: Buffer[] = [];
  const ingress = createServer(async (request, response) => {
    reports.push(Buffer.concat(await request.toArray()));
    response.end();
  }).listen(0, '127.0.0.1');
  await once(ingress, 'listening');
  closing.push(async () => ingress.close());
  const reportUrl = `http://127.0.0.1:${(ingress.address() as AddressInfo).port}`;

  const graph = await endpoint({ apollo: { key: 'service:shop:secret', graphRef: 'shop@current', reportUrl } });
  const greet = 'query Greet($name: String) { hello(name: $name) broken }';
  const { body } = await send(
    graph,
    { query: greet, operationName: 'Greet', variables: { name: 'Ada' } },
    { 'x-api-key': 'good', 'apollographql-client-name': 'shop-web' },
  );
  expect(body.data).toEqual({ hello: 'hello Ada', broken: null });
  await graph.app.close();

  expect(reports.length).toBe(1);
  const text = gunzipSync(reports[0]!);
  const report = Report.decode(text);
  const [[key, { statsWithContext, trace }]] = Object.entries(report.tracesPerQuery) as [[string, Record<string, object[]>]];
  expect(report.header?.graphRef).toBe('shop@current');
  expect(key).toMatch(/^# Greet\nquery Greet/);
  expect(JSON.stringify([statsWithContext, trace])).toContain('shop-web');
  expect(text.toString('latin1')).not.toMatch(/Ada|good|secret: postgres/);
});

test('the cache policy of subgraphs reaches callers, and is private for a caller with a key', async () => {
  const shop = subgraph('shop', 'type Query { name: String }', { Query: { name: () => 'Lamps' } });
  const server = await serveByApollo(shop, { maxAge: 60, scope: 'PUBLIC' });
  closing.push(server.stop);
  const gateway = liveOver(supergraphOf([{ ...shop, url: server.url }]));
  await using graph = await endpoint({ gateway, apollo: {} });
  const ask = (headers: Record<string, string> = {}) => send(graph, { query: '{ name }' }, headers);
  const open = await ask();
  expect([open.body, open.headers.get('cache-control')]).toEqual([{ data: { name: 'Lamps' } }, 'max-age=60, public']);
  expect(open.headers.get('vary')).toContain('x-api-key');
  expect((await ask({ 'x-api-key': 'good' })).headers.get('cache-control')).toBe('max-age=60, private');
});

test('a response is not cacheable if one of its subgraphs sent no cache policy', async () => {
  await using graph = await endpoint({ apollo: {} });
  expect((await send(graph, { query })).headers.get('cache-control')).toBe('private, no-store');
});

test('a new supergraph is served by the same Apollo Server', async () => {
  const served = async (field: string) => {
    const made = subgraph('shop', `type Query { ${field}: String }`, { Query: { [field]: () => field } });
    const server = await serveByApollo(made);
    closing.push(server.stop);
    return supergraphOf([{ ...made, url: server.url }]);
  };
  const gateway = liveOver(await served('one'));
  await using graph = await endpoint({ gateway, apollo: {} });
  expect((await send(graph, { query: '{ one }' })).body).toEqual({ data: { one: 'one' } });
  await gateway.replace(await served('two'));
  expect((await send(graph, { query: '{ two }' })).body).toEqual({ data: { two: 'two' } });
  expect((await send(graph, { query: '{ one }' })).status).toBe(400);
});

test('a key of GraphOS without a graph, or without Apollo Server, is a fault of the configuration', () => {
  const read = (source: Record<string, string>) => () =>
    readEnvironment(['APOLLO_KEY', 'APOLLO_SERVER', 'APOLLO_GRAPH_REF'], [], source);
  expect(read({ APOLLO_KEY: 'service:shop:secret' })).toThrow(ConfigurationError);
  expect(read({ APOLLO_KEY: 'service:shop:secret', APOLLO_SERVER: 'true' })).toThrow('APOLLO_KEY needs APOLLO_GRAPH_REF');
  expect(read({ APOLLO_KEY: 'service:shop:secret', APOLLO_SERVER: 'true', APOLLO_GRAPH_REF: 'shop@current' })).not.toThrow();
});

function liveOver(supergraph: string) {
  const gateway = createLiveGateway({
    supergraph,
    openings: (sdl) =>
      Object.fromEntries(subgraphsOf(sdl).map(({ name, url }) => [name, { address: url, open: () => httpSource({ url }) }])),
  });
  closing.push(() => gateway.close());
  return gateway;
}
