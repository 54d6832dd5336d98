import { randomUUID } from 'node:crypto';
import { claimDue } from '../../platform/webhooks/claim.ts';
import { bodyTexts } from '../support/deliveries.ts';
import { until } from '../support/until.ts';
import { type Engine, openEngine } from './engine.ts';
import { startReceiver } from './receiver.ts';

const MB = 1024 * 1024;
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});
afterEach(() => engine.pool.query('delete from webhooks.subscriptions'));
afterAll(() => engine.close());

const expireLeases = () => engine.pool.query(`update webhooks.deliveries set leased_until = now() - interval '1 second'`);

test('the data of an event beyond 256 KiB omits its largest properties, for every surface', async () => {
  for (const surface of ['catalog', 'integration', 'site-content'] as const)
    await engine.subscribe('http://127.0.0.1:1', { surface });
  const record = { id: randomUUID(), name: 'ä"\\', missing: undefined, at: new Date(0) };
  // A control character takes six bytes of JSON.
  await engine.emit('lead.created', { ...record, fields: { text: '\u0001'.repeat(50_000) }, last: 'x' });
  await engine.emit('lead.created', { ...record, fields: { text: 'é'.repeat(130_000) }, last: 'x' });
  const texts = await bodyTexts(engine.pool);
  const data = texts.map((text) => JSON.parse(text)).map((body) => body.data ?? body.payload);
  const small = { id: record.id, name: 'ä"\\', at: '1970-01-01T00:00:00.000Z', last: 'x' };
  expect(data.slice(0, 3)).toEqual(Array(3).fill({ ...small, truncated: true }));
  expect(data.slice(3)).toEqual(Array(3).fill({ ...small, fields: { text: 'é'.repeat(130_000) } }));
  expect(Object.keys(JSON.parse(texts[1]!))).toEqual(['id', 'event', 'organizationId', 'agentId', 'occurredAt', 'data']);
});

test('data with many middle-sized properties omits as few as needed', async () => {
  await engine.subscribe('http://127.0.0.1:1');
  const values = Object.fromEntries(Array.from({ length: 60 }, (_, nth) => [`field${nth}`, 'x'.repeat(9_000 + nth)]));
  await engine.emit('lead.created', { values, ...values, id: 'form' });
  const [body] = await bodyTexts(engine.pool);
  const { data } = JSON.parse(body!);
  expect(data).toMatchObject({ id: 'form', truncated: true, field0: values.field0 });
  expect(Object.keys(data)).toHaveLength(2 + 29);
  expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(256 * 1024);
});

test('an event is emitted to many subscribers in memory of one body', async () => {
  const ids = [];
  for (let count = 0; count < 100; count += 1) ids.push((await engine.subscribe('http://127.0.0.1:1')).id);
  const before = process.memoryUsage().arrayBuffers;
  await engine.emit('lead.created', { text: 'x'.repeat(250_000) });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * MB);
  const { rows } = await engine.pool.query(
    `select count(distinct subscription_id)::int as subscriptions, count(distinct event_id)::int as events from webhooks.deliveries`,
  );
  expect(rows).toEqual([{ subscriptions: 100, events: 1 }]);
});

test('an attempt that ends its process fails after five losses, and the retries follow', async () => {
  const receiver = await startReceiver();
  const { id } = await engine.subscribe(receiver.url);
  await engine.emit();
  for (let loss = 0; loss < 5; loss += 1) {
    expect(await claimDue(engine.pool, 10)).toMatchObject([{ losses: loss, isExhausted: false }]);
    await expireLeases();
  }
  const deliverer = engine.start();
  const error = 'The attempt was interrupted 5 times before its result was recorded.';
  expect(await engine.tried(id, 1)).toMatchObject({ status: 'pending', response_status: null, last_error: error });
  expect(receiver.calls).toEqual([]);
  await engine.skipWaits();
  expect(await engine.tried(id, 2)).toMatchObject({ status: 'delivered' });
  expect(receiver.calls).toHaveLength(1);
  await deliverer.close();
  await receiver.close();
});

test('deliveries that were lost twice are sent one at a time, and others beside them', async () => {
  const receiver = await startReceiver();
  const { id } = await engine.subscribe(receiver.url);
  for (let count = 0; count < 3; count += 1) await engine.emit();
  for (let loss = 0; loss < 2; loss += 1) {
    expect(await claimDue(engine.pool, 10)).toHaveLength(3);
    await expireLeases();
  }
  await engine.emit();
  const claimed = await claimDue(engine.pool, 10);
  expect(claimed.map(({ losses }) => losses).sort()).toEqual([0, 2]);
  expect(await claimDue(engine.pool, 10, claimed)).toEqual([]);
  await expireLeases();
  const deliverer = engine.start();
  await until(async () => (await engine.deliveries(id)).every(({ status }) => status === 'delivered'));
  await deliverer.close();
  await receiver.close();
});
