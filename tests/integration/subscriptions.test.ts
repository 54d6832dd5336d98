import { randomUUID } from 'node:crypto';
import { specialPurpose } from '../../platform/outbound/guard.ts';
import { database } from '../support/seed.ts';
import { openIntegration } from './integration.ts';

const targetUrl = 'https://hooks.example.com/leads';
const subscribed = { event: 'lead.created', targetUrl };
const refused = (status: number, message: unknown) => ({ status, body: { error: { message, status } } });

test('a custom subscription shows its secret once; automation has none', async () => {
  const { post, get } = await openIntegration();
  const { status, body } = await post('/webhooks', subscribed);
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    event: 'lead.created',
    targetUrl,
    source: 'custom',
    agentId: null,
    status: 'active',
    failureCount: 0,
    createdAt: expect.any(String),
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  });
  const { secret: _, ...custom } = body;
  const automation = await post('/webhooks', { ...subscribed, event: 'form.submitted', source: 'automation' });
  expect(automation.status).toBe(201);
  expect(Object.keys(automation.body)).toEqual(Object.keys(custom));
  const availableEvents = [
    'lead.created',
    'form.submitted',
    'ticket.created',
    'ticket.assigned',
    'ticket.status_changed',
    'ticket.replied',
  ];
  expect((await get('/webhooks')).body).toEqual({ subscriptions: [automation.body, custom], availableEvents });
});

test('subscribing again activates the subscription, resets its failures and creates no duplicate', async () => {
  const { post, get } = await openIntegration();
  const { id } = (await post('/webhooks', subscribed)).body;
  await database().query('update webhooks.subscriptions set enabled = false, failure_count = 15 where id = $1', [id]);
  expect((await get('/webhooks')).body.subscriptions).toMatchObject([{ id, status: 'disabled', failureCount: 15 }]);
  const again = await Promise.all(Array.from({ length: 5 }, () => post('/webhooks', subscribed)));
  for (const { status, body } of again) {
    expect(status).toBe(201);
    expect(body).toMatchObject({ id, status: 'active', failureCount: 0 });
    expect(body).not.toHaveProperty('secret');
  }
  expect((await get('/webhooks')).body.subscriptions).toHaveLength(1);
});

test('the same URL may have several events and agents', async () => {
  const { agent, post, get } = await openIntegration();
  for (const more of [{}, { agentId: agent.id }, { event: 'ticket.created' }]) await post('/webhooks', { ...subscribed, ...more });
  expect((await get('/webhooks')).body.subscriptions).toHaveLength(3);
});

test('a subscription of one agent gets the events of this agent only', async () => {
  const { agent, createAgent, post, events } = await openIntegration();
  const { id: second } = await createAgent('Sales desk');
  await post('/webhooks', { ...subscribed, agentId: agent.id });
  await post('/leads', { agentId: second, name: 'Eve' });
  await post('/leads', { agentId: agent.id, name: 'Ada' });
  expect((await events()).map(({ data }) => data.name)).toEqual(['Ada']);
});

test.each([
  ['http://hooks.example.com/', 'targetUrl is refused: The address must start with https://.'],
  ['http://localhost:3000/', 'targetUrl is refused: The address must start with https://.'],
  ['https://user:pass@hooks.example.com/', 'targetUrl is refused: The address must not contain a user name or password.'],
  ['https://127.0.0.1/', 'targetUrl is refused: The address is not on the public internet.'],
  ['https://169.254.169.254/latest', 'targetUrl is refused: The address is not on the public internet.'],
  ['https://[::1]/', 'targetUrl is refused: The address is not on the public internet.'],
  ['https://localhost/', 'targetUrl is refused: The address is not on the public internet.'],
  ['https://metadata.amazonaws.com/', 'targetUrl is refused: The address is not on the public internet.'],
  ['https://hooks.default.svc/', 'targetUrl is refused: The address is not on the public internet.'],
  ['nonsense', expect.stringContaining('targetUrl is refused')],
  ['https://hooks.example.com/ü', expect.stringContaining('targetUrl')],
  ['', expect.stringContaining('targetUrl')],
])('the URL %p is rejected', async (url, message) => {
  const { post, get } = await openIntegration();
  expect(await post('/webhooks', { ...subscribed, targetUrl: url })).toMatchObject(refused(400, message));
  expect((await get('/webhooks')).body.subscriptions).toEqual([]);
});

test('no address of a special-purpose block can be subscribed', async () => {
  const { post, get } = await openIntegration();
  for (const [block] of specialPurpose) {
    const address = block.replace(/\/\d+$/, '');
    const host = address.includes(':') ? `[${address}]` : address;
    expect([block, (await post('/webhooks', { ...subscribed, targetUrl: `https://${host}/` })).status]).toEqual([block, 400]);
  }
  expect((await get('/webhooks')).body.subscriptions).toEqual([]);
});

test.each([
  [{ event: undefined }, 400],
  [{ event: 'lead.deleted' }, 400],
  [{ targetUrl: undefined }, 400],
  [{ source: 'other' }, 400],
  [{ agentId: randomUUID() }, 404],
  [{ agentId: '' }, 404],
  // The agent is checked before the host.
  [{ agentId: randomUUID(), targetUrl: 'https://localhost/hook' }, 404],
])('the subscription with %p is rejected with %p', async (more, status) => {
  const { post } = await openIntegration();
  expect(await post('/webhooks', { ...subscribed, ...more })).toMatchObject(refused(status, expect.any(String)));
});

test('the 101st subscription is 429, also at once; subscribing again still succeeds', async () => {
  const { organization, post } = await openIntegration();
  await database().query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events)
     select gen_random_uuid(), $1, 'integration', 'https://hooks.example.com/' || n, array['lead.created'] from generate_series(1, 98) n`,
    [organization.id],
  );
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, nth) => post('/webhooks', { ...subscribed, targetUrl: `${targetUrl}/${nth}` })),
  );
  expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429, 429]);
  expect(made.find(({ status }) => status === 429)).toMatchObject(
    refused(429, 'Subscription limit reached. You can create up to 100 subscriptions.'),
  );
  // The limit applies before the host is resolved.
  expect((await post('/webhooks', { ...subscribed, targetUrl: 'https://localhost/hook' })).status).toBe(429);
  expect((await post('/webhooks', { ...subscribed, targetUrl: 'https://hooks.example.com/7' })).status).toBe(201);
});

test('deleting by id, or by URL and event; something already gone is 0', async () => {
  const { agent, post, get, remove } = await openIntegration();
  const { id } = (await post('/webhooks', subscribed)).body;
  expect(await remove(`/webhooks?id=${id}`)).toMatchObject({ status: 200, body: { deleted: 1 } });
  expect(await remove(`/webhooks?id=${id}`)).toMatchObject({ status: 200, body: { deleted: 0 } });
  expect(await remove('/webhooks?id=none')).toMatchObject({ status: 200, body: { deleted: 0 } });
  for (const more of [{}, { agentId: agent.id }, { event: 'ticket.created' }]) await post('/webhooks', { ...subscribed, ...more });
  const pair = `targetUrl=${encodeURIComponent(targetUrl)}&event=lead.created`;
  expect((await remove(`/webhooks?${pair}`)).body).toEqual({ deleted: 2 });
  expect((await remove(`/webhooks?${pair}`)).body).toEqual({ deleted: 0 });
  expect((await get('/webhooks')).body.subscriptions).toMatchObject([{ event: 'ticket.created' }]);
  for (const query of ['', '?event=lead.created', `?targetUrl=${encodeURIComponent(targetUrl)}`])
    expect(await remove(`/webhooks${query}`)).toMatchObject(refused(400, 'id, or both targetUrl and event, are required'));
});

test('subscriptions of another organization, and webhooks of the catalog, cannot be read or deleted', async () => {
  const [own, other] = await Promise.all([openIntegration(), openIntegration()]);
  const { id } = (await other.post('/webhooks', subscribed)).body;
  const create = `mutation { createWebhook(input: { url: "${targetUrl}", eventType: ["ai_import.start"] }) { id } }`;
  const { createWebhook } = await own.graphql(create);
  expect((await own.get('/webhooks')).body.subscriptions).toEqual([]);
  for (const each of [id, createWebhook.id]) expect((await own.remove(`/webhooks?id=${each}`)).body).toEqual({ deleted: 0 });
  expect((await other.get('/webhooks')).body.subscriptions).toHaveLength(1);
  expect((await own.graphql('{ webhooks { id } }')).webhooks).toHaveLength(1);
});
