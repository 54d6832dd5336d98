import { environment } from '../../schema/environment.ts';
import { allow, connect } from '../mcp/mcp.ts';
import { caller } from '../support/client.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import type { Running } from '../support/processes.ts';
import { database } from '../support/seed.ts';
import { startSubgraph } from '../support/system.ts';
import { until } from '../support/until.ts';
import { nestedPdf } from '../uploads/hostile.ts';
import { form, sendRaw } from '../uploads/raw.ts';
import { everything, expected, follow, partly, refusedPart, seedEverywhere } from './across.ts';

const SECRET = 'known-to-the-processes-only';
const names = { CATALOG_URL: 'catalog', AGENT_URL: 'agent', SITE_CONTENT_URL: 'site-content' };

const startWithSecret = (name: string, env: Record<string, string> = {}) =>
  startSubgraph(name, { SUBGRAPH_SECRET: SECRET, ...env });

let subgraphs: Record<keyof typeof names, Running>;
let gateway: Gateway;
const urls = () => Object.fromEntries(Object.entries(subgraphs).map(([variable, { addresses }]) => [variable, addresses.url!]));

beforeAll(async () => {
  const started = await Promise.all(
    Object.entries(names).map(async ([variable, name]) => [variable, await startWithSecret(name)] as const),
  );
  subgraphs = Object.fromEntries(started) as typeof subgraphs;
  // Without a database: everything it says comes from the subgraphs.
  gateway = await openGateway({ ...urls(), SUBGRAPH_SECRET: SECRET, DATABASE_URL: '' });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(Object.values(subgraphs).map((each) => each.stop()));
});

const on = (key: string | undefined) => caller(key, { url: gateway.url });

test('one query reads an organization from three processes', async () => {
  const seeded = await seedEverywhere(gateway.url);
  expect(await on(seeded.key).graphql(everything, { sku: 'LAMP' })).toEqual(expected(seeded));
});

test('a field that one subgraph rejects is null with an error path, as in one process', async () => {
  const { addMember } = await seedEverywhere();
  const { key } = await addMember('member');
  const [apart, together] = await Promise.all(
    [gateway.url, undefined].map((url) => caller(key, { url }).post('/graphql', { query: partly })),
  );
  expect(apart!.body).toEqual(together!.body);
  expect(apart!.body.errors).toMatchObject([{ path: refusedPart.path, extensions: { code: refusedPart.code } }]);
});

test('REST responses equal those of one process, including errors and rate limit', async () => {
  const { key, slug } = await seedEverywhere();
  const paths = [
    `/api/${slug}/products/get`,
    `/api/${slug}/attribute-sets`,
    `/api/${slug}/products/none/get`,
    '/api/no-such/products/get',
  ];
  for (const path of paths) {
    const [apart, together] = await Promise.all([gateway.url, undefined].map((url) => caller(key, { url }).post(path)));
    expect({ status: apart!.status, body: apart!.body }).toEqual({ status: together!.status, body: together!.body });
    expect(apart!.headers.get('x-ratelimit-limit')).toBe('1000000');
  }
  expect(await on(undefined).get('/api/organizations/get')).toMatchObject({ status: 401, body: { message: 'Missing API Key' } });
});

test('an enrichment job completes, and another gateway streams its progress', async () => {
  const { key, slug, productId } = await seedEverywhere();
  await on(key).graphql('mutation { createAttribute(input: { name: "Material", slug: "material", type: text }) { id } }');
  const { body } = await on(key).post(`/api/${slug}/product-enrichment-jobs/create`, {
    productIds: [productId],
    modelType: 'budget-v1',
    websearch: false,
  });
  const { jobId } = body.data;

  const [elsewhere, here] = await Promise.all([follow(key, jobId), follow(key, jobId, gateway.url)]);
  for (const updates of [elsewhere, here]) {
    expect(updates[0]).toMatchObject({ sequence: 1, status: 'pending' });
    expect(updates.at(-1)).toMatchObject({ status: 'completed', processedCount: 1, job: { status: 'completed' } });
    expect(updates.map(({ sequence }) => sequence)).toEqual([...updates.map(({ sequence }) => sequence)].sort((a, b) => a - b));
    expect(updates.flatMap(({ items }) => items)).toEqual([{ status: 'completed', product: { sku: 'LAMP-1' } }]);
  }
  const items = await on(key).post(`/api/${slug}/product-enrichment-jobs/${jobId}/items/get`);
  expect(items.body.data.items).toMatchObject([
    { productId, status: 'completed', enrichedData: { material: { value: expect.any(String) } } },
  ]);
});

test('MCP tools use the processes of the subgraphs: access, calls, files and streams', async () => {
  const { key, productId } = await seedEverywhere();
  await allow(key);
  const { call, list } = await connect(key, { url: gateway.url });
  expect((await list()).map(({ name }) => name)).toContain('upload_files');
  const content = Buffer.from('SKU\nA-1\n').toString('base64');
  const uploaded = await call('upload_files', { files: [{ name: 'a.csv', type: 'text/csv', content }] });
  expect(uploaded.body.uploadedFileIds).toHaveLength(1);
  const made = await call('create_product_enrichment_job', { productIds: [productId], modelType: 'budget-v1', websearch: false });
  const waited = await call('wait_for_job', { job_id: made.body.data.jobId });
  expect(waited.body).toMatchObject({ ended: true, processedCount: 1 });
  expect((await call('list_agents')).body.data.agents).toHaveLength(1);
  expect((await call('list_products', { organization: 'none' })).text).toBe('403 NO_ACCESS: Invalid API Key');
});

test('the subscription of a stranger is also rejected across processes', async () => {
  const [mine, theirs] = await Promise.all([seedEverywhere(), seedEverywhere()]);
  const { post } = on(mine!.key);
  const { body } = await post(`/api/${mine!.slug}/product-enrichment-jobs/create`, {
    productIds: [mine!.productId],
    modelType: 'budget-v1',
    websearch: false,
  });
  await expect(follow(theirs!.key, body.data.jobId, gateway.url)).rejects.toThrow();
  expect((await follow(mine!.key, body.data.jobId, gateway.url)).at(-1)).toMatchObject({ processedCount: 1 });
});

describe('a subgraph', () => {
  const operation = JSON.stringify({ query: '{ __typename }' });
  const ask = (secret: string | undefined) =>
    fetch(`${subgraphs.CATALOG_URL.addresses.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(secret !== undefined && { 'x-subgraph-secret': secret }) },
      body: operation,
    });

  test.each([undefined, '', 'wrong', `${SECRET}x`, SECRET.slice(1)])('rejects requests with the secret %p', async (secret) => {
    const response = await ask(secret);
    expect([response.status, await response.json()]).toEqual([403, { errors: [{ message: 'Forbidden' }] }]);
  });

  test('accepts its gateway', async () => {
    expect(await (await ask(SECRET)).json()).toEqual({ data: { __typename: 'Query' } });
  });

  test('rejects an owner key without the secret', async () => {
    const { key } = await seedEverywhere();
    const url = subgraphs.CATALOG_URL.addresses.url!;
    expect((await caller(key, { url }).post('/graphql', { query: '{ organization { id } }' })).status).toBe(403);
    const updates = caller(key, { url }).subscribe('subscription { jobProgress(id: "x") { status } }');
    await expect(updates.next()).rejects.toMatchObject({ code: 4403 });
  });

  test('does not start without a secret, nor by an unknown name', async () => {
    await expect(startWithSecret('catalog', { SUBGRAPH_SECRET: '' })).rejects.toThrow(/SUBGRAPH_SECRET is required/);
    await expect(startWithSecret('nonsense')).rejects.toThrow(/name one of catalog/);
  });
});

describe('a gateway', () => {
  test('with the wrong secret reports UNAVAILABLE and admits nobody', async () => {
    const wrong = await openGateway({ ...urls(), SUBGRAPH_SECRET: 'wrong' });
    const { key, slug } = await seedEverywhere();
    const { post } = caller(key, { url: wrong.url });
    const rest = await post(`/api/${slug}/products/get`);
    const graphql = await post('/graphql', { query: '{ organization { id } }' });
    await wrong.stop();
    expect(rest).toMatchObject({ status: 503, body: { success: false } });
    expect(graphql.status).toBe(503);
    expect(JSON.stringify([rest.body, graphql.body])).not.toContain(slug);
  });

  test('returns partial data while one subgraph is down', async () => {
    const agent = await startWithSecret('agent');
    const alone = await openGateway({ ...urls(), AGENT_URL: agent.addresses.url!, SUBGRAPH_SECRET: SECRET });
    const { key } = await seedEverywhere();
    const { post } = caller(key, { url: alone.url });
    expect((await post('/graphql', { query: partly })).body.errors).toBeUndefined();
    await agent.stop('SIGKILL');
    const { body } = await post('/graphql', { query: partly });
    const rest = await post(
      `/api/${(await post('/graphql', { query: '{ organization { slug } }' })).body.data.organization.slug}/products/get`,
    );
    await alone.stop();
    expect(body.data.organization).toMatchObject({ agents: null, products: { nodes: [{ sku: 'LAMP-1' }] } });
    expect(body.errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);
    expect(rest.status).toBe(200);
  });
});

test('the catalog stores a file that was uploaded to the gateway, within the quota', async () => {
  const { id, key, slug } = await seedEverywhere();
  const form = new FormData();
  form.append('files', new Blob(['SKU,Name\nA-1,Anvil'], { type: 'text/csv' }), 'list.csv');
  const request = { method: 'POST', headers: { 'x-api-key': key }, body: form };
  const response = await fetch(`${gateway.url}/api/${slug}/enrichment-files/upload`, request);
  expect(await response.json()).toEqual({ success: true, uploadedFileIds: [expect.any(String)] });

  await database().query('update catalog.file_usage set bytes = $2 where organization_id = $1', [
    id,
    environment.FILE_QUOTA.default,
  ]);
  const refused = await fetch(`${gateway.url}/api/${slug}/enrichment-files/upload`, request);
  const message = expect.stringMatching(/^File storage limit reached\. /);
  expect([refused.status, await refused.json()]).toEqual([400, { success: false, message }]);
});

test('a client that disconnects while the catalog stores its file leaves nothing', async () => {
  const { id, key, slug } = await seedEverywhere();
  const kept = async () => {
    const { rows } = await database().query('select count(*)::int from catalog.files where organization_id = $1', [id]);
    return rows[0].count as number;
  };
  const target = { organization: { slug, key }, url: gateway.url };
  expect(await sendRaw(target, form(nestedPdf(9, 'a')), { leaves: () => kept().then((count) => count > 0) })).toBeUndefined();
  await until(async () => (await kept()) === 0);
});
