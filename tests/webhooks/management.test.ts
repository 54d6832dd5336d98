import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';

const url = 'https://hooks.example.com/catalog';
const eventType = ['product_enrichment.completed'];

async function seed() {
  const organization = await seedOrganization();
  const api = caller(organization.key);
  const act = (action: unknown, fields: object = {}) => api.post(`/api/${organization.slug}/webhooks`, { action, ...fields });
  const create = async (fields: object = {}) => (await act('create', { url, eventType, ...fields })).body.data.webhook;
  return { ...organization, api, act, create };
}

const refused = (message: string) => ({ status: 400, body: { success: false, message: `Invalid request body: ${message}` } });

test('a new webhook has defaults, and its secret is shown only once', async () => {
  const { act } = await seed();
  const { status, body } = await act('create', { url, eventType });
  expect([status, Object.keys(body.data)]).toEqual([200, ['webhook']]);
  const { secret, ...webhook } = body.data.webhook;
  expect(webhook).toEqual({
    id: expect.any(String),
    url,
    method: 'post',
    eventType,
    enabled: true,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await act('list')).toMatchObject({ status: 200, body: { success: true, data: { webhooks: [webhook] } } });
  expect(JSON.stringify((await act('list')).body)).not.toContain('secret');
});

test('the database stores the secret only encrypted', async () => {
  const { create } = await seed();
  const { id, secret } = await create();
  const { rows } = await database().query('select secret from webhooks.subscriptions where id = $1', [id]);
  expect(rows[0].secret.includes(Buffer.from(secret))).toBe(false);
  expect(rows[0].secret.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false);
});

test('webhooks are listed newest first', async () => {
  const { act, create } = await seed();
  const ids: string[] = [];
  for (const method of ['put', 'patch', 'post']) ids.unshift((await create({ method })).id);
  const { body } = await act('list');
  expect(body.data.webhooks.map((each: { id: string }) => each.id)).toEqual(ids);
});

test('an update changes only sent fields', async () => {
  const { act, create } = await seed();
  const { secret, ...webhook } = await create({ method: 'put' });
  const changed = await act('update', { id: webhook.id, enabled: false });
  expect(changed).toMatchObject({
    status: 200,
    body: { success: true, data: { webhook: { ...webhook, enabled: false, updatedAt: expect.any(String) } } },
  });
  const events = ['ai_import.completed', 'ai_import.failed', 'product_market_analysis.stopped'];
  const again = await act('update', { id: webhook.id, url: `${url}/2`, eventType: [...events, events[0]], method: 'patch' });
  expect(again.body.data.webhook).toMatchObject({ url: `${url}/2`, eventType: events, method: 'patch', enabled: false });
  expect(await act('update', { id: webhook.id, url: null })).toMatchObject(refused('url must not be null'));
});

test('a deleted webhook does not exist any more', async () => {
  const { act, create } = await seed();
  const { id } = await create();
  expect(await act('delete', { id })).toMatchObject({ status: 200, body: { success: true, data: { deleted: true } } });
  for (const action of ['update', 'delete'])
    expect(await act(action, { id })).toMatchObject({ status: 404, body: { success: false, message: 'Webhook not found' } });
  expect((await act('list')).body.data.webhooks).toEqual([]);
});

test('webhooks of another organization are not found', async () => {
  const [mine, other] = [await seed(), await seed()];
  const { id } = await mine.create();
  for (const action of ['update', 'delete']) expect(await other.act(action, { id, enabled: false })).toMatchObject({ status: 404 });
  expect((await other.act('list')).body.data.webhooks).toEqual([]);
  const deliveries = 'query ($id: ID!) { webhookDeliveries(webhookId: $id) { nodes { id } } }';
  expect(await other.api.refusal(deliveries, { id })).toEqual({ code: 'NOT_FOUND', message: 'Webhook not found' });
  expect((await mine.act('list')).body.data.webhooks).toMatchObject([{ id, enabled: true }]);
});

test('the eleventh webhook is rejected, even with twenty concurrent creates', async () => {
  const { act, create } = await seed();
  const answers = await Promise.all(Array.from({ length: 20 }, () => act('create', { url, eventType })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  const message = 'Webhook limit reached. You can create up to 10 webhooks.';
  // The limit applies before the host is resolved.
  for (const each of [url, 'http://localhost/hook'])
    expect(await act('create', { url: each, eventType })).toMatchObject({ status: 400, body: { success: false, message } });
  const [{ id }] = (await act('list')).body.data.webhooks;
  await act('delete', { id });
  expect((await create()).id).toEqual(expect.any(String));
});

test.each([undefined, null, 'remove', 'constructor', 1, ['list']])('the action %p is rejected', async (action) => {
  const { act } = await seed();
  expect(await act(action)).toMatchObject(refused('action must be one of list, create, update, delete'));
});

test('a body that is not an object is rejected', async () => {
  const { api, slug } = await seed();
  for (const body of ['[]', '"list"', 'null']) expect(await api.post(`/api/${slug}/webhooks`, body)).toMatchObject({ status: 400 });
});

test.each([
  ['no events', { eventType: [] }, /eventType must have at least 1 entry/],
  ['an unknown event', { eventType: ['brand_enrichment.start'] }, /must be one of product_enrichment.start/],
  ['an unknown method', { method: 'get' }, /must be one of post, put, patch/],
  ['a method in capitals', { method: 'POST' }, /must be one of post, put, patch/],
  ['a text for a flag', { enabled: 'yes' }, /enabled/],
  ['no URL', { url: 'nonsense' }, /url is refused: The address is not a valid URL/],
  ['another scheme', { url: 'ftp://hooks.example.com' }, /must start with http/],
  ['a password', { url: 'https://a:b@hooks.example.com' }, /must not contain a user name/],
  ['this machine', { url: 'http://127.0.0.1:9/hook' }, /not on the public internet/],
  ['a private network', { url: 'https://10.1.2.3/hook' }, /not on the public internet/],
  ['the metadata of a cloud', { url: 'http://169.254.169.254/latest' }, /not on the public internet/],
  ['an inner name', { url: 'http://localhost/hook' }, /not on the public internet/],
  ['a metadata service', { url: 'http://metadata.amazonaws.com/' }, /not on the public internet/],
])('%s is rejected', async (_, fields, message) => {
  const { act, create } = await seed();
  const created = await act('create', { url, eventType, ...fields });
  expect([created.status, created.body.message]).toEqual([400, expect.stringMatching(message)]);
  const { id } = await create();
  expect(await act('update', { id, ...fields })).toMatchObject({ status: 400 });
});

test.each(['url', 'eventType'])('%s is required', async (name) => {
  const { act } = await seed();
  const answer = await act('create', { url, eventType, [name]: undefined });
  expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(`^Invalid request body: .*${name}`)]);
});

test('a malformed id is not found', async () => {
  const { act } = await seed();
  expect(await act('delete', { id: 'nonsense' })).toMatchObject({ status: 404 });
  expect(await act('delete')).toMatchObject({ status: 400 });
});

test('a member may manage webhooks over GraphQL, with the same messages', async () => {
  const organization = await seedOrganization();
  const member = await organization.addMember('member');
  const api = caller(member.key);
  const made = await api.graphql('mutation ($input: NewWebhook!) { createWebhook(input: $input) { id secret method } }', {
    input: { url, eventType, method: 'patch' },
  });
  expect(made.createWebhook).toMatchObject({ method: 'patch', secret: expect.stringMatching(/^whsec_/) });
  const { id } = made.createWebhook;
  const changed = await api.graphql('mutation ($id: ID!) { updateWebhook(id: $id, input: { enabled: false }) { enabled } }', {
    id,
  });
  expect(changed.updateWebhook).toEqual({ enabled: false });
  expect((await api.graphql('{ webhooks { id enabled } }')).webhooks).toEqual([{ id, enabled: false }]);
  expect((await api.graphql('mutation ($id: ID!) { deleteWebhook(id: $id) { deleted } }', { id })).deleteWebhook).toEqual({
    deleted: true,
  });
});

test('webhooks and deliveries are deleted with their organization', async () => {
  const { id, create } = await seed();
  await create();
  await database().query('delete from identity.organizations where id = $1', [id]);
  const { rows } = await database().query('select 1 from webhooks.subscriptions where organization_id = $1', [id]);
  expect(rows).toEqual([]);
});
