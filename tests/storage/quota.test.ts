import { randomUUID } from 'node:crypto';
import { question, seedAgent, send, textOf, visitor } from '../agent/chat/chatting.ts';
import { openAgent } from '../agent/sources/support.ts';
import { caller } from '../support/client.ts';
import { color, seedCatalog } from '../support/enrichment.ts';
import { database, seedOperator, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';

const url = process.env.TEST_URL!;
const FULL =
  /^Storage limit reached\. The data of the organization can take up to \d+(\.\d+)? MB\. Delete unused data, or ask for a larger plan\.$/;
const STORAGE = '{ organization { storage { bytes limit kinds { kind bytes } files { bytes limit } } } }';

const setQuota = (id: string, bytes: number | null) =>
  database().query('update identity.organizations set storage_quota = $2 where id = $1', [id, bytes]);

const product = (sku: string, length = 10) => ({ sku, name: 'Lamp', userProvidedRawDataSources: ['x'.repeat(length)] });

test('the graph shows the storage of an organization by kind, and its quota', async () => {
  const { key, slug } = await seedOrganization({ plan: 'free' });
  const api = caller(key);
  const storage = async () => (await api.graphql(STORAGE)).organization.storage;
  expect(await storage()).toMatchObject({ bytes: 0, limit: 5_000_000_000, files: { bytes: 0 } });
  const created = await api.post(`/api/${slug}/products/create`, product('A', 100_000));
  const { bytes, kinds } = await storage();
  expect(bytes).toBeGreaterThan(100_000);
  expect(kinds.find(({ kind }: { kind: string }) => kind === 'catalog').bytes).toBe(bytes);
  await api.post(`/api/${slug}/products/${created.body.data.id}/delete`);
  expect((await storage()).bytes).toBe(0);
});

test('beyond the quota nothing is created or grows, everything can be deleted, and other organizations are unaffected', async () => {
  const { id, key, slug } = await seedOrganization();
  const api = caller(key);
  const first = (await api.post(`/api/${slug}/products/create`, product('A', 1_000))).body.data.id;
  const second = (await api.post(`/api/${slug}/products/create`, product('B', 1_000))).body.data.id;
  await setQuota(id, 20_000);
  const large = await api.post(`/api/${slug}/products/create`, product('C', 30_000));
  expect(large.body.message).toMatch(/can take up to 0\.02 MB\./);
  await setQuota(id, 2_000);
  const refusal = { status: 402, body: { success: false, message: expect.stringMatching(FULL) } };
  const single = await api.post(`/api/${slug}/products/create`, product('C'));
  expect(single).toMatchObject(refusal);
  expect(single.headers.get('x-error-code')).toBe('STORAGE_FULL');
  const products = Array.from({ length: 1_000 }, (_, at) => product(`D${at}`));
  expect(await api.post(`/api/${slug}/products/bulk-create`, { products })).toMatchObject(refusal);
  expect(await api.post(`/api/${slug}/brands/create`, { name: 'Norrvik' })).toMatchObject(refusal);
  expect(await api.post(`/api/${slug}/agents`, { name: 'Zoe' })).toMatchObject(refusal);
  const attributes = { color: { attributeName: 'Color', attributeType: 'text', value: 'x'.repeat(5_000) } };
  expect(await api.post(`/api/${slug}/products/${first}/update-attributes`, { attributes })).toMatchObject(refusal);
  expect(await api.post(`/api/${slug}/products/get`)).toMatchObject({ body: { data: { pagination: { total: 2 } } } });

  // Changes that do not grow, and deletions, also with an idempotency key.
  const shorter = { sku: 'A', name: 'Lamp', userProvidedRawDataSources: ['x'] };
  expect((await api.post(`/api/${slug}/products/${first}/update`, shorter)).status).toBe(200);
  const once = { 'idempotency-key': randomUUID() };
  expect((await api.post(`/api/${slug}/products/${second}/delete`, {}, once)).status).toBe(200);
  expect((await api.post(`/api/${slug}/products/create`, product('C'))).status).toBe(200);

  const other = await seedOrganization();
  expect((await caller(other.key).post(`/api/${other.slug}/products/create`, product('A'))).status).toBe(200);
});

test('sources, leads and tickets beyond the quota are refused in the form of their surface', async () => {
  const { id, key, slug } = await seedOrganization({ modules: ['helpdesk'] });
  const api = caller(key);
  const agentId = (await api.post(`/api/${slug}/agents`, { name: 'Zoe' })).body.data.agent.id;
  await setQuota(id, 1);
  const text = { type: 'text', name: 'Notes', text: 'Lamps' };
  expect(await api.post(`/api/${slug}/agents/${agentId}/sources`, text)).toMatchObject({
    status: 402,
    body: { success: false, message: expect.stringMatching(FULL) },
  });
  const refused = { status: 402, body: { error: { status: 402, message: expect.stringMatching(FULL) } } };
  expect(await api.post('/api/v1/leads', { agentId, email: 'ada@example.com' })).toMatchObject(refused);
  expect(await api.post('/api/v1/tickets', { agentId, subject: 'Broken' })).toMatchObject(refused);
  expect((await api.get('/api/v1/tickets')).body).toEqual({ tickets: [] });
  expect((await api.send('DELETE', `/api/${slug}/agents/${agentId}`)).status).toBe(200);
});

test('a visitor of an organization beyond its quota learns only that the assistant is unavailable', async () => {
  const { id, key, agent, widgetPath, adminPath } = await seedAgent(url, { publicAccess: true });
  const visit = visitor();
  const first = await send(widgetPath, question('hello'), visit);
  expect([first.status, textOf(first.parts)]).toEqual([200, expect.stringMatching(/./)]);
  await setQuota(id, 1);
  expect(await send(widgetPath, question('hello'), visit)).toMatchObject({
    status: 402,
    body: { message: 'This assistant is currently unavailable. Please try again later.' },
  });
  const contact = 'mutation ($slug: ID!) { submitWidgetContact(publicSlug: $slug, input: { email: "ada@example.com" }) { id } }';
  const asked = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...visit },
    body: JSON.stringify({ query: contact, variables: { slug: agent.publicSlug } }),
  });
  expect(JSON.stringify(await asked.json())).not.toMatch('Storage limit');
  const admin = await send(adminPath, question('hello'), { 'x-api-key': key });
  expect(admin).toMatchObject({ status: 402, body: { success: false, message: expect.stringMatching(FULL) } });
  const { rows } = await database().query('select count(*)::int as n from agent.messages where organization_id = $1', [id]);
  expect(rows).toEqual([{ n: 2 }]);
});

/** Leave this many bytes to an organization. */
const leave = (id: string, bytes: number) =>
  database().query(
    `update identity.organizations set storage_quota = $2 + (
       select coalesce(sum(bytes), 0) from identity.stored_bytes where organization_id = $1) where id = $1`,
    [id, bytes],
  );

test('a job item whose result exceeds the quota fails with the reason, is refunded, and writes nothing', async () => {
  const { id, addProducts, start, end, items, product: read, balance, ledger } = await seedCatalog([color], { credits: 10 });
  const [parent] = await addProducts([{ isParent: true }]);
  const attributes = { color: { attributeName: 'Color', attributeType: 'text', value: 'x'.repeat(5_000) } };
  await addProducts([{ parentId: parent, attributes }]);
  await leave(id, 1_000);
  const job = await end(await start([parent!]));
  expect(job).toMatchObject({ status: 'completed_with_errors', failedCount: 1 });
  expect(await items(job.id)).toMatchObject([{ status: 'failed', errorMessage: expect.stringMatching(FULL), cost: 0 }]);
  expect(await read(parent!)).toMatchObject({ attributes: {}, enriched: false });
  expect([await balance(), (await ledger()).length]).toEqual([10, 2]);
  await leave(id, 1_000_000);
  expect(await end(await start([parent!]))).toMatchObject({ status: 'completed' });
});

test('a source whose passages exceed the quota fails with the reason, and is indexed once there is room', async () => {
  const { organization, addSource, follow, owner } = await openAgent();
  await leave(organization.id, 150_000);
  const text = Array.from({ length: 100 }, (_, at) => `# Part ${at}\n${`Lamp ${at} `.repeat(100)}`).join('\n');
  const id = await addSource({ type: 'text', name: 'Notes', text });
  expect((await follow(id)).at(-1)).toMatchObject({ status: 'failed', error: expect.stringMatching(FULL), chunkCount: 0 });
  await setQuota(organization.id, null);
  const { refreshSource } = await owner.graphql('mutation ($id: ID!) { refreshSource(id: $id) { status } }', { id });
  expect(refreshSource.status).toBe('queued');
  await until(
    async () => (await owner.graphql('query ($id: ID!) { source(id: $id) { status } }', { id })).source.status === 'ready',
  );
});

test('an operator changes the quota of one organization, and restores that of its plan', async () => {
  const { key: operatorKey } = await seedOperator();
  const { id, key, slug } = await seedOrganization();
  const change = `mutation ($organization: String!, $storageQuota: Float) {
    updateOrganizationAccount(organization: $organization, storageQuota: $storageQuota) { storageQuota } }`;
  const operator = caller(operatorKey);
  const quota = async (storageQuota: number) =>
    (await operator.graphql(change, { organization: slug, storageQuota })).updateOrganizationAccount.storageQuota;
  const limit = async () => (await caller(key).graphql(STORAGE)).organization.storage.limit;
  expect([await quota(7_000_000), await limit()]).toEqual([7_000_000, 7_000_000]);
  expect([await quota(0), await limit()]).toEqual([null, 50_000_000_000]);
  expect(await caller(key).refusal(change, { organization: slug, storageQuota: 1e12 })).toMatchObject({ code: 'FORBIDDEN' });
  const { rows } = await database().query(
    `select before ->> 'storageQuota' as before, after ->> 'storageQuota' as after from identity.account_changes
      where organization_id = $1 order by created_at`,
    [id],
  );
  expect(rows).toEqual([
    { before: null, after: '7000000' },
    { before: '7000000', after: null },
  ]);
});

test('large responses to an idempotency key count, and are refused beyond the quota', async () => {
  const { id, key } = await seedOrganization();
  const api = caller(key);
  const make = `mutation ($products: [NewProduct!]!) { createProducts(products: $products) { ids } }`;
  const headers = () => ({ 'idempotency-key': randomUUID() });
  const products = (letter: string) => Array.from({ length: 500 }, (_, at) => product(`${letter}${at}`));
  await api.post('/graphql', { query: make, variables: { products: products('A') } }, headers());
  const { kinds } = (await api.graphql(STORAGE)).organization.storage;
  expect(kinds.find(({ kind }: { kind: string }) => kind === 'requests').bytes).toBeGreaterThan(10_000);
  await setQuota(id, 1);
  const { body } = await api.post('/graphql', { query: make, variables: { products: products('B') } }, headers());
  expect(body.errors[0].extensions.code).toBe('STORAGE_FULL');
});
