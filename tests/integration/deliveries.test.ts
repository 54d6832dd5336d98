import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { until } from '../support/until.ts';
import { startReceiving } from './receiving.ts';

let status = 200;
let receiving: Awaited<ReturnType<typeof startReceiving>>;
beforeAll(async () => {
  receiving = await startReceiving((_, response) => void response.writeHead(status).end(`answer ${status}`));
});
afterAll(() => receiving.stop());
beforeEach(() => {
  status = 200;
});

const DELIVERY =
  'id event body status attempts responseStatus lastError nextAttemptAt createdAt log { number responseStatus responseSnippet error durationMs at }';
const LOG = `query ($id: ID!, $page: Int! = 1, $limit: Int! = 20, $status: WebhookDeliveryStatus, $event: IntegrationEvent, $from: DateTime, $to: DateTime) {
  eventDeliveries(subscriptionId: $id, page: $page, limit: $limit, status: $status, event: $event, from: $from, to: $to) {
    nodes { ${DELIVERY} } pagination { total totalPages }
  }
}`;
const REPLAY = `mutation ($id: ID!) { replayEventDelivery(id: $id) { id status attempts } }`;
const TEST = `mutation ($id: ID!) { testEventSubscription(id: $id) { id eventId event status body } }`;
const ENABLE = 'mutation ($id: ID!) { enableEventSubscription(id: $id) { id status failureCount source } }';

async function open(options?: Parameters<typeof receiving.open>[0]) {
  const seeded = await receiving.open(options);
  const { id } = seeded.subscription;
  const page = async (filter: object = {}) => (await seeded.graphql(LOG, { id, ...filter })).eventDeliveries;
  return { ...seeded, id, page };
}

test('the log shows each attempt, the last error and the next attempt', async () => {
  const { lead, page } = await open();
  status = 503;
  await lead('Ada');
  expect((await page()).nodes).toMatchObject([{ status: 'pending', attempts: 0, log: [] }]);
  await receiving.sweep();
  const [delivery] = (await page()).nodes;
  const error = 'The receiver answered with status 503.';
  expect(delivery).toMatchObject({
    event: 'lead.created',
    status: 'pending',
    attempts: 1,
    responseStatus: 503,
    lastError: error,
    log: [{ number: 1, responseStatus: 503, responseSnippet: 'answer 503', error, durationMs: expect.any(Number) }],
  });
  const wait = Date.parse(delivery.nextAttemptAt) - Date.parse(delivery.log[0].at);
  expect(wait).toBeGreaterThanOrEqual(60_000);
  status = 200;
  await receiving.skipWaits();
  await receiving.sweep();
  expect((await page()).nodes).toMatchObject([
    {
      id: delivery.id,
      status: 'delivered',
      attempts: 2,
      lastError: null,
      nextAttemptAt: null,
      log: [{ number: 1 }, { number: 2 }],
    },
  ]);
});

test('the log is filtered by status, event and time, and paged', async () => {
  const { lead, page } = await open();
  for (const name of ['Ada', 'Eve', 'Mae']) await lead(name);
  const { nodes, pagination } = await page({ limit: 2 });
  expect([nodes.length, pagination]).toEqual([2, { total: 3, totalPages: 2 }]);
  const [newest, middle] = nodes as { id: string; createdAt: string }[];
  expect((await page({ limit: 2, page: 2 })).nodes).toHaveLength(1);
  expect((await page({ page: 2_000_000_000, limit: 100 })).nodes).toEqual([]);
  await receiving.sweep();
  const ids = async (filter: object) => (await page(filter)).nodes.map(({ id }: { id: string }) => id);
  expect(await ids({ status: 'failed' })).toEqual([]);
  expect(await ids({ status: 'delivered' })).toHaveLength(3);
  expect(await ids({ event: 'ticket.created' })).toEqual([]);
  expect(await ids({ from: newest!.createdAt })).toContain(newest!.id);
  expect(await ids({ to: middle!.createdAt })).not.toContain(newest!.id);
});

test('a replay has the same id and body; a pending delivery and a disabled subscription are refused', async () => {
  const { id, lead, page, graphql, refusal } = await open({ path: '/replay' });
  await lead('Ada');
  const [{ id: delivery }] = (await page()).nodes;
  const pending = { code: 'UNPROCESSABLE', message: 'The delivery is still to be sent.' };
  expect(await refusal(REPLAY, { id: delivery })).toEqual(pending);
  await receiving.sweep();
  const replays = await Promise.allSettled([1, 2].map(() => graphql(REPLAY, { id: delivery })));
  expect(replays.map((each) => each.status).sort()).toEqual(['fulfilled', 'rejected']);
  await receiving.sweep();
  const calls = receiving.receiver.calls.filter(({ path }) => path === '/replay');
  expect(calls).toHaveLength(2);
  expect(new Set(calls.map(({ text, headers }) => text + headers['x-svc-delivery'])).size).toBe(1);
  await receiving.pool.query('update webhooks.subscriptions set enabled = false where id = $1', [id]);
  const disabled = { code: 'UNPROCESSABLE', message: 'The subscription is disabled.' };
  expect(await refusal(REPLAY, { id: delivery })).toEqual(disabled);
  expect(await refusal(TEST, { id })).toEqual(disabled);
});

const CHECK =
  'query ($input: ReceivedDelivery!) { checkEventSignature(input: $input) { family accepted checks { name passed reason } } }';

test('a test event is a signed sample that only this subscription receives', async () => {
  const { id, organization, subscription, graphql, page, post } = await open({ event: 'ticket.replied', path: '/test' });
  await post('/webhooks', { event: 'ticket.replied', targetUrl: 'https://other.example.com/' });
  const { testEventSubscription: delivery } = await graphql(TEST, { id });
  expect(delivery).toMatchObject({ event: 'ticket.replied', status: 'pending' });
  await receiving.sweep();
  const calls = receiving.receiver.calls.filter(({ path }) => path === '/test');
  expect(calls).toHaveLength(1);
  expect(calls[0]!.body).toMatchObject({
    id: delivery.eventId,
    organizationId: organization.id,
    agentId: null,
    data: { ticketNumber: 'TKT-0' },
  });
  expect(calls[0]!.headers['x-svc-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  expect((await page()).nodes).toMatchObject([{ id: delivery.id, status: 'delivered' }]);
  const { headers, text, body } = calls[0]!;
  const { secret } = subscription;
  expect(Stripe.webhooks.constructEvent(text, String(headers['x-svc-signature']), secret)).toEqual(body);
  expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toEqual(body);
  const input = { headers: JSON.stringify(headers), body: text, secret };
  expect((await graphql(CHECK, { input })).checkEventSignature).toMatchObject([{ accepted: true }, { accepted: true }]);
  const changed = await graphql(CHECK, { input: { ...input, body: `${text}\n` } });
  expect(changed.checkEventSignature[0].checks).toContainEqual({ name: 'body', passed: false, reason: expect.any(String) });
});

test('a subscription that failures disabled is enabled again, and sends its waiting deliveries', async () => {
  const { id, lead, page, graphql } = await open();
  status = 500;
  for (let nth = 0; nth < 15; nth += 1) await lead(`Ada ${nth}`);
  await receiving.sweep();
  expect((await page({ status: 'pending' })).pagination.total).toBe(15);
  status = 200;
  await receiving.skipWaits();
  expect(await receiving.sweep()).toMatchObject({ processed: 0 });
  expect((await graphql(ENABLE, { id })).enableEventSubscription).toEqual({
    id,
    status: 'active',
    failureCount: 0,
    source: 'custom',
  });
  await receiving.sweep();
  expect((await page({ status: 'delivered' })).pagination.total).toBe(15);
});

test('managing subscriptions in the graph needs no plan', async () => {
  const { id, organization, graphql, get } = await open();
  await receiving.pool.query(`update identity.organizations set plan = 'free' where id = $1`, [organization.id]);
  // Processes hear of the change by a notification.
  await until(async () => (await get('/webhooks')).status === 402);
  expect((await graphql(LOG, { id })).eventDeliveries.nodes).toEqual([]);
  expect((await graphql(ENABLE, { id })).enableEventSubscription.status).toBe('active');
  expect((await graphql('{ eventSubscriptions { subscriptions { id } } }')).eventSubscriptions.subscriptions).toEqual([{ id }]);
});
