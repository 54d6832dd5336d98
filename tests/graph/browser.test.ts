import { buildSchema, parse, validate } from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { graphiqlExamples } from '../../start/gateway/graphiql-examples.ts';
import { textOf } from '../structure/files.ts';
import { type Caller, caller } from '../support/client.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import { seedOrganization } from '../support/seed.ts';

const app = 'https://app.example.com';
const LIMIT = 8;

let gateway: Gateway;
let organization: Awaited<ReturnType<typeof seedOrganization>>;
let api: Caller;
beforeAll(async () => {
  gateway = await openGateway({ CORS_ORIGINS: app, GRAPHQL_LIMIT_PER_MINUTE: String(LIMIT) });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  organization = await seedOrganization();
  api = caller(organization.key, { url: gateway.url });
});

const path = () => `${gateway.url}/api/${organization.slug}/enrichment-files/upload`;
const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin');

test('a page of a configured origin uploads a file, whose id the graph knows', async () => {
  const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' };
  const preflight = await fetch(path(), { method: 'OPTIONS', headers: { origin: app, ...asks } });
  expect([preflight.status, allowed(preflight)]).toEqual([204, app]);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-api-key');
  const form = new FormData();
  form.append('files', new Blob(['SKU\nA'], { type: 'text/csv' }), 'list.csv');
  const answer = await fetch(path(), { method: 'POST', headers: { origin: app, 'x-api-key': organization.key }, body: form });
  expect([answer.status, allowed(answer)]).toEqual([200, app]);
  const [id] = ((await answer.json()) as { uploadedFileIds: string[] }).uploadedFileIds;
  expect((await api.graphql('query ($id: ID!) { uploadedFile(id: $id) { name } }', { id })).uploadedFile.name).toBe('list.csv');
});

test('pages of other origins, and other REST paths, have no access', async () => {
  const headers = { 'access-control-request-method': 'POST' };
  expect(
    allowed(await fetch(path(), { method: 'OPTIONS', headers: { ...headers, origin: 'https://other.example.com' } })),
  ).toBeNull();
  const products = `${gateway.url}/api/${organization.slug}/products/get`;
  expect(allowed(await fetch(products, { method: 'OPTIONS', headers: { ...headers, origin: app } }))).toBeNull();
});

test('a page can read why its upload is refused', async () => {
  const answer = await fetch(path(), { method: 'POST', headers: { origin: app, 'x-api-key': 'ck_none' }, body: new FormData() });
  expect([answer.status >= 400, allowed(answer)]).toEqual([true, app]);
});

test('the graph says where files are uploaded', async () => {
  const unknown = await api.refusal('mutation { uploadFiles(files: ["x"]) { success } }');
  expect(unknown).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('/enrichment-files/upload') });
  const form = new FormData();
  form.append('operations', '{}');
  const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers: { 'x-api-key': organization.key }, body: form });
  expect([answer.status, await answer.text()]).toEqual([415, expect.stringContaining('Upload files to the REST API')]);
});

test('the examples of GraphiQL run', async () => {
  const other = caller((await seedOrganization()).key);
  const document = parse(graphiqlExamples);
  expect(validate(buildSchema(textOf('schema/api.graphql')), document)).toEqual([]);
  for (const operationName of ['Products', 'Numbers', 'Review'])
    expect((await other.post('/graphql', { query: graphiqlExamples, operationName })).body.errors).toBeUndefined();
  const stream = await other.post(
    '/graphql',
    { query: 'subscription { jobsChanged { sequence } }' },
    { accept: 'text/event-stream' },
  );
  expect([stream.status, JSON.stringify(stream.body)]).toEqual([406, expect.stringContaining('WebSocket')]);
});

test('a client with a refused key does not retry and gets the reason', async () => {
  let connections = 0;
  const client = createClient({
    url: `${gateway.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': `ck_${'a'.repeat(43)}` },
    retryWait: async () => {},
    on: {
      opened: () => {
        connections += 1;
      },
    },
  });
  const closed = client.iterate({ query: '{ me { id } }' }).next();
  await expect(closed).rejects.toMatchObject({ code: 4401, reason: 'Invalid API Key' });
  expect(connections).toBe(1);
});

test('GraphQL has a limit of its own, and expensive operations count more', async () => {
  const cheap = async () => (await api.post('/graphql', { query: '{ me { id } }' })).headers.get('x-ratelimit-remaining');
  expect(await cheap()).toBe(String(LIMIT - 1));
  const rest = await api.post(`/api/${organization.slug}/products/get`);
  expect([rest.status, Number(rest.headers.get('x-ratelimit-limit')) > LIMIT]).toEqual([200, true]);
  const products = '{ products(limit: 100) { nodes { id variants { id } } } }';
  const expensive = await api.post('/graphql', { query: products });
  expect(expensive.status).toBe(429);
  expect(expensive.body.errors[0].extensions.code).toBe('RATE_LIMITED');
  expect(Number(expensive.headers.get('retry-after'))).toBeGreaterThan(0);
  const list = await caller((await seedOrganization()).key, { url: gateway.url }).post('/graphql', {
    query:
      '{ products(limit: 50) { nodes { id sku name brand category updatedAt createdAt uom mpn manufacturer externalId enriched isParent parentId parentName brandSummary { id name productCount enrichedCount brand { id } } } } }',
  });
  // 1 for the request, 1 for the first 1,000 of its cost, and 2 for the fields of a new document.
  expect([list.status, list.headers.get('x-ratelimit-remaining')]).toEqual([200, String(LIMIT - 4)]);
});
