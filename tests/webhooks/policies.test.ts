import { randomUUID } from 'node:crypto';
import { transaction } from '../../platform/scope/index.ts';
import { newSigningSecret, secretName } from '../../platform/webhooks/delivery-attempt.ts';
import { emit } from '../../platform/webhooks/emit.ts';
import { until } from '../support/until.ts';
import { type Engine, openEngine } from './engine.ts';
import { type Receiver, signaturesOf, startReceiver } from './receiver.ts';

let engine: Engine;
const receivers: Receiver[] = [];
const receiver = async (...reply: Parameters<typeof startReceiver>) => {
  const started = await startReceiver(...reply);
  receivers.push(started);
  return started;
};
const answering = (status: number) => receiver((_, response) => response.writeHead(status).end());

beforeAll(async () => {
  engine = await openEngine();
  engine.start();
});
afterAll(async () => {
  await Promise.all(receivers.map((each) => each.close()));
  await engine.close();
});

test('an event arrives once, with two signatures, in the envelope of its API', async () => {
  const { url, waitFor, calls } = await receiver();
  const catalog = await engine.subscribe(`${url}/catalog`, { surface: 'catalog' });
  const integration = await engine.subscribe(`${url}/integration`);
  await engine.emit('lead.created', { name: 'Ada “Countess” Lovelace' });
  await waitFor(2);
  const [first, second] = [...calls].sort((a, b) => (a.path < b.path ? -1 : 1));
  expect(first?.body).toEqual({ webhookId: catalog.id, event: 'lead.created', payload: { name: 'Ada “Countess” Lovelace' } });
  expect(second?.body).toEqual({
    id: expect.any(String),
    event: 'lead.created',
    organizationId: engine.scope.organizationId,
    agentId: null,
    occurredAt: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { name: 'Ada “Countess” Lovelace' },
  });
  for (const [call, secret] of [
    [first!, catalog.secret],
    [second!, integration.secret],
  ] as const) {
    expect(call.headers).toMatchObject({
      ...signaturesOf(call, secret),
      'content-type': 'application/json',
      'user-agent': 'Svc-Webhooks/1',
      'x-svc-event': 'lead.created',
      'webhook-id': call.headers['x-svc-delivery'],
    });
    expect(Math.abs(Number(call.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
  }
  expect(second?.headers['x-svc-delivery']).not.toBe(second?.body.id);
});

test('the catalog tries once', async () => {
  const { url, calls } = await answering(500);
  const { id } = await engine.subscribe(url, { surface: 'catalog', events: ['once'] });
  await engine.emit('once');
  const delivery = await engine.tried(id, 1);
  expect(delivery).toMatchObject({
    status: 'failed',
    attempts: 1,
    wait: null,
    response_status: 500,
    last_error: 'The receiver answered with status 500.',
  });
  await engine.skipWaits();
  expect(calls).toHaveLength(1);
  expect(await engine.subscription(id)).toEqual({ enabled: true, failure_count: 1 });
});

test('the integration makes five attempts with the documented delays, the same body and new signatures', async () => {
  const { url, calls } = await answering(503);
  const { id, secret } = await engine.subscribe(url, { events: ['again'] });
  await engine.emit('again');
  for (const [at, wait] of [60, 300, 1_800, 7_200].entries()) {
    const delivery = await engine.tried(id, at + 1);
    expect(delivery).toMatchObject({ status: 'pending', attempts: at + 1 });
    expect(wait - delivery.wait!).toBeGreaterThanOrEqual(0);
    expect(wait - delivery.wait!).toBeLessThan(30);
    await engine.skipWaits();
  }
  expect(await engine.tried(id, 5)).toMatchObject({ status: 'failed', attempts: 5, wait: null });
  expect(new Set(calls.map(({ text }) => text)).size).toBe(1);
  expect(new Set(calls.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(1);
  for (const call of calls) expect(call.headers).toMatchObject(signaturesOf(call, secret));
  const { rows } = await engine.pool.query(
    'select number, a.response_status, error, duration_ms from webhooks.attempts a join webhooks.deliveries d on d.id = a.delivery_id where d.subscription_id = $1 order by number',
    [id],
  );
  const error = 'The receiver answered with status 503.';
  expect(rows).toEqual([1, 2, 3, 4, 5].map((number) => ({ number, response_status: 503, error, duration_ms: expect.any(Number) })));
});

test.each([
  ['7200', 7_200],
  ['5', 60],
  ['0', 60],
  ['-5', 60],
  ['soon', 60],
  ['9'.repeat(400), 86_400],
  [new Date(Date.now() + 3_600_000).toUTCString(), 3_600],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 60],
])('Retry-After %p makes a wait of %p seconds', async (header, expected) => {
  const { url } = await receiver((_, response) => response.writeHead(429, { 'retry-after': header }).end());
  const event = `later ${header}`;
  const { id } = await engine.subscribe(url, { events: [event] });
  await engine.emit(event);
  const { wait } = await engine.tried(id, 1);
  expect(expected - wait!).toBeLessThan(30);
  expect(expected - wait!).toBeGreaterThan(-30);
});

test('a successful attempt ends the retries and resets the failure count', async () => {
  const { url } = await receiver((_, response, nth) => response.writeHead(nth === 1 ? 500 : 204).end());
  const { id } = await engine.subscribe(url, { events: ['better'] });
  await engine.emit('better');
  await engine.tried(id, 1);
  expect(await engine.subscription(id)).toEqual({ enabled: true, failure_count: 1 });
  await engine.skipWaits();
  expect(await engine.tried(id, 2)).toMatchObject({ status: 'delivered', wait: null, response_status: 204, last_error: null });
  expect(await engine.subscription(id)).toEqual({ enabled: true, failure_count: 0 });
});

test('a 410 response deletes the subscription if the policy says so', async () => {
  const { url } = await answering(410);
  const [integration, catalog] = [
    await engine.subscribe(url, { events: ['gone'] }),
    await engine.subscribe(url, { surface: 'catalog', events: ['gone'] }),
  ];
  await engine.emit('gone');
  await until(async () => (await engine.subscription(integration.id)) === undefined);
  expect(await engine.deliveries(integration.id)).toEqual([]);
  expect(await engine.tried(catalog.id, 1)).toMatchObject({ status: 'failed', response_status: 410 });
  expect(await engine.subscription(catalog.id)).toMatchObject({ enabled: true });
});

test('fifteen consecutive failures disable a subscription; queued deliveries wait until it is enabled', async () => {
  let status = 500;
  const { url, calls } = await receiver((_, response) => response.writeHead(status).end());
  const { id } = await engine.subscribe(url, { events: ['many'] });
  for (let count = 0; count < 15; count += 1) await engine.emit('many');
  await until(async () => (await engine.subscription(id)).failure_count === 15);
  expect(await engine.subscription(id)).toEqual({ enabled: false, failure_count: 15 });
  const before = calls.length;
  status = 200;
  await engine.skipWaits();
  await engine.emit('many');
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(calls).toHaveLength(before);
  const statuses = async () => (await engine.deliveries(id)).map((each) => each.status);
  expect(await statuses()).toEqual([...Array(15).fill('pending'), 'missed']);
  await engine.pool.query('update webhooks.subscriptions set enabled = true, failure_count = 0 where id = $1', [id]);
  await engine.skipWaits();
  await until(async () => !(await statuses()).includes('pending'));
  expect(await statuses()).toEqual([...Array(15).fill('delivered'), 'missed']);
});

test('a subscription without a secret gets no signatures', async () => {
  const { url, waitFor } = await receiver();
  await engine.subscribe(url, { events: ['unsigned'], signed: false });
  await engine.emit('unsigned');
  const [call] = await waitFor(1);
  expect(Object.keys(call!.headers).filter((name) => /signature|^webhook-/.test(name))).toEqual([]);
  expect(call?.headers).toMatchObject({ 'x-svc-event': 'unsigned', 'x-svc-delivery': expect.any(String) });
});

test('only matching subscriptions of the record receive an event', async () => {
  const { url } = await receiver();
  const [mine, other] = [randomUUID(), randomUUID()];
  const events = ['about'];
  const everything = await engine.subscribe(url, { events });
  const about = await engine.subscribe(url, { events, aboutId: mine });
  const aboutOther = await engine.subscribe(url, { events, aboutId: other });
  const disabled = await engine.subscribe(url, { events, enabled: false });
  const elsewhere = await engine.subscribe(url, { events: ['elsewhere'] });
  await engine.emit('about', {}, mine);
  const counts = await Promise.all([everything, about, aboutOther, disabled, elsewhere].map(({ id }) => engine.deliveries(id)));
  expect(counts.map(({ length }) => length)).toEqual([1, 1, 0, 0, 0]);
});

test('a rolled-back event is not sent', async () => {
  const { url, calls } = await receiver();
  const { id } = await engine.subscribe(url, { events: ['undone'] });
  const undone = transaction(engine.scope, async (inner) => {
    await emit(inner, 'undone', {});
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect([await engine.deliveries(id), calls]).toEqual([[], []]);
});

test('after a rotation, deliveries have signatures of both secrets until the previous one expires', async () => {
  const { url, waitFor } = await receiver();
  const { id, secret } = await engine.subscribe(url, { surface: 'site-content', events: ['page.created'] });
  const previous = newSigningSecret();
  const sealed = engine.scope.services.secrets.seal(previous, secretName({ organizationId: engine.scope.organizationId, id }));
  const rotate = (expiry: string) =>
    engine.pool.query(
      `update webhooks.subscriptions set previous_secret = $2, previous_secret_expires_at = now() + $3::interval where id = $1`,
      [id, sealed, expiry],
    );
  await rotate('1 hour');
  await engine.emit('page.created', {});
  const [both] = await waitFor(1);
  const [own, old] = [signaturesOf(both!, secret!), signaturesOf(both!, previous)];
  const [, oldSignature] = old['x-svc-signature'].split(',');
  expect(both!.headers['x-svc-signature']).toBe(`${own['x-svc-signature']},${oldSignature}`);
  expect(both!.headers['webhook-signature']).toBe(`${own['webhook-signature']} ${old['webhook-signature']}`);

  await rotate('-1 second');
  await engine.emit('page.created', {});
  const [, one] = await waitFor(2);
  expect(one!.headers).toMatchObject(signaturesOf(one!, secret!));
});
