import { claimDue, releaseLeases, renewLeases } from '../../platform/webhooks/claim.ts';
import { type Engine, openEngine } from './engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});
afterEach(() => engine.pool.query('delete from webhooks.subscriptions'));
afterAll(() => engine.close());

const open = async () =>
  (await engine.pool.query("select id, leased_until > 'epoch' as renewed, leased_by from webhooks.deliveries")).rows;

test.each([
  ['renewed', renewLeases],
  ['released', releaseLeases],
])('leases are %s without waiting for a transaction that deletes some of the deliveries', async (_, change) => {
  await engine.subscribe('http://127.0.0.1:1');
  for (let nth = 0; nth < 3; nth += 1) await engine.emit('lead.created', { nth });
  const claimed = await claimDue(engine.pool, 16);
  expect(claimed).toHaveLength(3);
  await engine.pool.query(`update webhooks.deliveries set leased_until = 'epoch'`);
  const deletion = await engine.pool.connect();
  try {
    await deletion.query('begin');
    await deletion.query('delete from webhooks.deliveries where id = $1', [claimed[2]!.id]);
    await change(engine.pool, claimed);
    // A change that waited would hold the others, and each would wait for the other.
    await deletion.query('delete from webhooks.deliveries where id = $1', [claimed[1]!.id]);
    await deletion.query('commit');
  } finally {
    deletion.release();
  }
  const lease = change === renewLeases ? { renewed: true, leased_by: claimed[0]!.lease } : { renewed: null, leased_by: null };
  expect(await open()).toEqual([{ id: claimed[0]!.id, ...lease }]);
});

test('a lease of another claim is neither renewed nor released', async () => {
  await engine.subscribe('http://127.0.0.1:1');
  await engine.emit('lead.created', {});
  const before = await claimDue(engine.pool, 16);
  await engine.pool.query(`update webhooks.deliveries set leased_until = now() - interval '1 second'`);
  const [current] = await claimDue(engine.pool, 16);
  await renewLeases(engine.pool, before);
  await releaseLeases(engine.pool, before);
  expect(await open()).toMatchObject([{ leased_by: current!.lease }]);
});
