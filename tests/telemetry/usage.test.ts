import { setTimeout as wait } from 'node:timers/promises';
import { caller } from '../support/client.ts';
import { database, seedOperator, seedOrganization } from '../support/seed.ts';
import { startGateway } from '../support/system.ts';
import { readUntil } from '../support/until.ts';

const usage = `query ($client: String) { operationUsage(client: $client, limit: 100) { nodes {
  hash name label kind text requests errors p50 p99 clientCount clients { name version requests } coordinates lastUsedAt
} } }`;
const named = (name: string) => ({ 'apollographql-client-name': name, 'apollographql-client-version': '1.0' });

let operator: ReturnType<typeof caller>;
let organization: Awaited<ReturnType<typeof seedOrganization>>;
beforeAll(async () => {
  operator = caller((await seedOperator()).key);
  organization = await seedOrganization();
});

const usageOf = async (client: string) => (await operator.graphql(usage, { client })).operationUsage.nodes;
const requestsOf = async (client: string): Promise<number> =>
  (await usageOf(client)).reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0);

test('requests over GraphQL, WebSocket and REST are counted, and a gateway that stops stores its last counts', async () => {
  const gateway = await startGateway();
  const { url } = gateway;
  const member = caller(organization.key, { url });
  const name = `counted-${organization.slug}`;
  const search = 'query Search($filter: ProductFilter) { products(filter: $filter, limit: 3) { nodes { sku } } }';
  const runs = Array.from({ length: 30 }, () =>
    member.post('/graphql', { query: search, variables: { filter: { missingAttribute: 'secret-attribute' } } }, named(name)),
  );
  const results = await Promise.all(runs);
  expect(results.map(({ body }) => body.errors)).toEqual(results.map(() => undefined));
  await member.post(
    '/graphql',
    {
      query: 'mutation ($name: String!, $slug: String!) { createOrganization(name: $name, slug: $slug) { slug } }',
      variables: { name: 'secret-name', slug: 'admin!' },
    },
    named(name),
  );
  for (let at = 0; at < 7; at++) expect((await member.get(`/api/v1/agents?secret=${at}`, named(name))).status).toBe(200);
  for await (const event of member.subscribe('subscription Watch { jobsChanged { sequence } }')) {
    expect(event.errors).toBeUndefined();
    break;
  }
  await gateway.stop();

  const found = await usageOf(name);
  expect(
    found.map(({ name: operation, label, kind, requests, errors }: Record<string, unknown>) => [
      operation || label,
      kind,
      requests,
      errors,
    ]),
  ).toEqual([
    ['Search', 'query', 30, 0],
    ['GET /api/v1/agents', 'query', 7, 0],
    ['', 'mutation', 1, 1],
  ]);
  expect(found[0]).toMatchObject({
    clients: [{ name, version: '1.0', requests: 30 }],
    coordinates: expect.arrayContaining(['Product.sku', 'ProductFilter', 'Query.products(filter:)', 'Query.products(limit:)']),
  });
  const { rows } = await database().query('select sent from graph_registry.requests where operation = $1 and client = $2', [
    found[0].hash,
    name,
  ]);
  expect(rows[0].sent).toEqual({ ProductFilter: 30, 'ProductFilter.missingAttribute': 30, 'Query.products(filter:)': 30 });
  // Without the headers, the client is the key.
  const { rows: keys } = await database().query('select name from identity.api_keys where organization_id = $1', [organization.id]);
  const ofKey = await usageOf(keys[0].name);
  expect(ofKey.map((each: { name: string }) => each.name)).toContain('Watch');

  const { rows: stored } = await database().query(
    `select count(*)::int as found from (select o::text as text from graph_registry.operations o union all select r::text from graph_registry.requests r) s where text ~ 'secret-'`,
  );
  expect(stored).toEqual([{ found: 0 }]);
}, 60_000);

test('a killed gateway loses the counts of at most its last ten seconds', async () => {
  const gateway = await startGateway();
  const member = caller(organization.key, { url: gateway.url });
  const name = `killed-${organization.slug}`;
  const run = () => member.post('/graphql', { query: '{ organization { slug } }' }, named(name));
  for (let at = 0; at < 5; at++) await run();
  await readUntil(
    () => requestsOf(name),
    (requests) => requests === 5,
    15_000,
  );
  await run();
  await gateway.stop('SIGKILL');
  await wait(100);
  expect(await requestsOf(name)).toBe(5);
}, 60_000);

test('only operators read the counts', async () => {
  const member = caller(organization.key);
  for (const query of [
    '{ operationUsage { nodes { hash } } }',
    '{ fieldUsage { nodes { coordinate } } }',
    '{ publishedSchemas { nodes { author report } } }',
  ]) {
    expect((await member.refusal(query)).code).toBe('FORBIDDEN');
    expect((await caller(undefined).refusal(query)).code).toBe('MISSING_KEY');
    expect(await operator.graphql(query)).toBeDefined();
  }
  expect((await member.refusal('mutation { recordUsage(batch: "{}") }')).message).toMatch(/Cannot query field/);
});

test('hostile names of clients are cleaned and bounded', async () => {
  const gateway = await startGateway();
  const member = caller(organization.key, { url: gateway.url });
  const ask = (name: string) =>
    member.post('/graphql', { query: 'query Hostile { organization { slug } }' }, { 'apollographql-client-name': name });
  const texts = ['*', `x${'y'.repeat(5_000)}`, "'; drop table graph_registry.requests; --", '\u00ff\u0085 \u00a0'];
  for (const text of texts) expect((await ask(text)).status).toBe(200);
  await gateway.stop();
  const { rows } = await database().query(
    `select client from graph_registry.requests r join graph_registry.operations o on o.hash = r.operation where o.name = 'Hostile' order by 1`,
  );
  const clients = rows.map(({ client }) => client);
  expect(clients).toContain("'; drop table graph_registry.requests; --");
  expect(clients).toContain(`x${'y'.repeat(63)}`);
  expect(clients.every((each) => each.length <= 64 && each !== '*')).toBe(true);
}, 60_000);
