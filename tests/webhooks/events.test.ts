import { randomUUID } from 'node:crypto';
import { dropOld } from '../../platform/webhooks/claim.ts';
import { replayDelivery, sendTest } from '../../platform/webhooks/replay.ts';
import { duringTransaction } from '../support/rival.ts';
import { until } from '../support/until.ts';
import { type Engine, openEngine } from './engine.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let engine: Engine;
let receiver: Receiver;
beforeAll(async () => {
  engine = await openEngine();
  receiver = await startReceiver();
});
afterEach(async () => {
  await engine.pool.query('delete from webhooks.subscriptions');
  receiver.calls.length = 0;
});
afterAll(async () => {
  await receiver.close();
  await engine.close();
});

const countEvents = async (): Promise<number> =>
  (await engine.pool.query('select count(*)::int as count from webhooks.events')).rows[0].count;
const remove = (id: string) => engine.pool.query('delete from webhooks.subscriptions where id = $1', [id]);

test('an event has one id in the envelopes of all subscriptions, and each delivery has its own', async () => {
  const [agentId, name] = [randomUUID(), 'Ada "Countess" \u2028'];
  for (const aboutId of [undefined, agentId]) await engine.subscribe(receiver.url, { aboutId });
  await engine.subscribe(receiver.url, { surface: 'site-content' });
  const deliverer = engine.start();
  await engine.emit('lead.created', { name }, agentId);
  await receiver.waitFor(3);
  await deliverer.close();
  const [{ rows: events }, { calls }] = [await engine.pool.query('select id from webhooks.events'), receiver];
  expect(events).toHaveLength(1);
  expect(calls.map(({ body }) => body.id)).toEqual(Array(3).fill(events[0].id));
  expect(calls.map(({ body }) => body.agentId).sort()).toEqual([agentId, agentId, null]);
  const ids = calls.map(({ headers }) => headers['x-svc-delivery']);
  expect(new Set([...ids, events[0].id]).size).toBe(4);
  expect(calls.map(({ headers }) => headers['webhook-id'])).toEqual(ids);
});

test('a replay and a test delivery have the body of their event, byte by byte', async () => {
  const { id } = await engine.subscribe(receiver.url);
  const deliverer = engine.start();
  await engine.emit('lead.created', { at: new Date(1), text: '\u0001é😀' });
  await until(async () => (await engine.deliveries(id))[0]?.status === 'delivered');
  const { em } = engine.scope;
  await replayDelivery(engine.scope, (await engine.deliveries(id))[0]!.id, { surface: 'integration' });
  await receiver.waitFor(2);
  expect(receiver.calls[1]!.text).toBe(receiver.calls[0]!.text);
  const subscription = { id, events: ['lead.created'], enabled: true, aboutId: null, surface: 'integration' };
  const delivery = await sendTest(engine.scope, subscription as never);
  await receiver.waitFor(3);
  expect(receiver.calls[2]!.body).toMatchObject({ id: delivery.eventId, data: { name: 'Sample visitor' } });
  em.clear();
  await deliverer.close();
});

test('one of the largest events with 100 subscriptions is stored once', async () => {
  await engine.pool.query('alter table webhooks.events alter payload set storage external');
  for (let count = 0; count < 100; count += 1) await engine.subscribe(receiver.url);
  const sizes = `select sum(pg_total_relation_size(oid))::int as bytes from pg_class
     where oid in ('webhooks.events'::regclass, 'webhooks.deliveries'::regclass)`;
  const before = (await engine.pool.query(sizes)).rows[0].bytes;
  await engine.emit('lead.created', { text: 'x'.repeat(250_000) });
  expect((await engine.pool.query(sizes)).rows[0].bytes - before).toBeLessThan(500_000);
  expect(await countEvents()).toBe(1);
});

test('an event is deleted with its last delivery', async () => {
  const { id } = await engine.subscribe(receiver.url);
  const other = await engine.subscribe(receiver.url);
  await engine.emit();
  await engine.pool.query(
    `update webhooks.deliveries set next_attempt_at = null, created_at = now() - interval '31 days' where subscription_id = $1`,
    [id],
  );
  await dropOld(engine.pool);
  expect(await engine.deliveries(id)).toEqual([]);
  expect(await countEvents()).toBe(1);
  await remove(other.id);
  expect(await countEvents()).toBe(0);
});

test('an event is deleted when the last two of its deliveries are deleted at the same time', async () => {
  const [one, other] = [await engine.subscribe(receiver.url), await engine.subscribe(receiver.url)];
  await engine.emit();
  await duringTransaction(
    (rival) => rival.query('delete from webhooks.subscriptions where id = $1', [one.id]),
    () => remove(other.id),
    undefined,
    engine.pool,
  );
  expect(await countEvents()).toBe(0);
});

test('a retention of the deliveries of many organizations takes a limited number of locks', async () => {
  const retention = await engine.pool.connect();
  try {
    await retention.query('begin');
    await retention.query(`
      insert into identity.organizations (id, slug, name) select gen_random_uuid(), 'many-' || n, 'Many' from generate_series(1, 3000) n;
      insert into webhooks.subscriptions (id, organization_id, surface, url, events, created_at, updated_at)
      select gen_random_uuid(), id, 'agent', 'https://hooks.example.com', '{lead.created}', now(), now()
        from identity.organizations where slug like 'many-%';
      insert into webhooks.events (id, organization_id, event, occurred_at, payload)
      select id, organization_id, 'lead.created', now(), '{}' from webhooks.subscriptions where url = 'https://hooks.example.com';
      insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, status, created_at)
      select id, organization_id, id, 'lead.created', id, 'delivered', now() from webhooks.subscriptions where url = 'https://hooks.example.com';
      delete from webhooks.deliveries where subscription_id in (select id from webhooks.subscriptions where url = 'https://hooks.example.com')`);
    const { rows } = await retention.query(
      `select count(*)::int as locks, (select count(*)::int from webhooks.events) as events
         from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    );
    expect(rows[0].events).toBe(0);
    expect(rows[0].locks).toBeLessThanOrEqual(1_024);
  } finally {
    await retention.query('rollback');
    retention.release();
  }
});

test('the retention gives way to a deletion of subscriptions', async () => {
  const [one, other] = [await engine.subscribe(receiver.url), await engine.subscribe(receiver.url)];
  await engine.emit();
  await engine.pool.query(
    `update webhooks.deliveries set next_attempt_at = null, created_at = now() - interval '31 days' where subscription_id = $1`,
    [one.id],
  );
  await duringTransaction(
    (rival) => rival.query('delete from webhooks.subscriptions where id = $1', [other.id]),
    () => dropOld(engine.pool),
    undefined,
    engine.pool,
  );
  await dropOld(engine.pool);
  expect(await countEvents()).toBe(0);
});

test('a transaction that fails leaves neither an event nor deliveries', async () => {
  const { id } = await engine.subscribe(receiver.url);
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  await expect(engine.emit('lead.created', circular)).rejects.toThrow(/circular/);
  expect([await engine.deliveries(id), await countEvents()]).toEqual([[], 0]);
});
