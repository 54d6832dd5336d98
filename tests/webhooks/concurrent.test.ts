import { until } from '../support/until.ts';
import { type Engine, openEngine } from './engine.ts';
import { startReceiver } from './receiver.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});
afterAll(() => engine.close());

test('deliveries of one subscription that end at the same time are sent once', async () => {
  const receiver = await startReceiver();
  const subscriptions = [await engine.subscribe(receiver.url), await engine.subscribe(receiver.url)];
  engine.start();
  const count = 300;
  for (let nth = 0; nth < count; nth += 25) await Promise.all(Array.from({ length: 25 }, () => engine.emit()));
  const open = async () =>
    (await engine.pool.query('select count(*)::int as open from webhooks.deliveries where next_attempt_at is not null')).rows[0]
      .open;
  await until(async () => (await open()) === 0);
  expect(receiver.calls).toHaveLength(count * subscriptions.length);
  await receiver.close();
  const { rows } = await engine.pool.query('select max(attempts) as attempts, max(losses) as losses from webhooks.deliveries');
  expect(rows).toEqual([{ attempts: 1, losses: 0 }]);
});
