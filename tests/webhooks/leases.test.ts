import { createOutbound } from '../../platform/outbound/outbound-client.ts';
import { until } from '../support/until.ts';
import { type Engine, openEngine } from './engine.ts';
import { startReceiver } from './receiver.ts';

type Receive = (...reply: Parameters<typeof startReceiver>) => ReturnType<typeof startReceiver>;

/** These tests wait for a timeout or a lease, so they run concurrently, each with its own engine. */
const withEngine = (work: (engine: Engine, receiver: Receive) => Promise<void>) => async () => {
  const engine = await openEngine();
  const open: (() => Promise<unknown>)[] = [engine.close];
  try {
    await work(engine, async (...reply) => {
      const started = await startReceiver(...reply);
      open.push(started.close);
      return started;
    });
  } finally {
    for (const close of open.reverse()) await close();
  }
};

test.concurrent(
  'a hanging receiver times out and blocks nobody else',
  withEngine(async (engine, receiver) => {
    const hanging = await receiver(() => {});
    const quick = await receiver();
    const slow = await engine.subscribe(hanging.url);
    const fine = await engine.subscribe(quick.url);
    engine.start();
    for (let count = 0; count < 30; count += 1) await engine.emit();
    await quick.waitFor(30);
    expect((await engine.deliveries(slow.id)).map(({ attempts }) => attempts)).toEqual(Array(30).fill(0));
    // Eight at a time for one subscription.
    expect(hanging.calls).toHaveLength(8);
    await until(async () => (await engine.deliveries(slow.id)).some(({ attempts }) => attempts === 1));
    const tried = (await engine.deliveries(slow.id)).find(({ attempts }) => attempts === 1);
    expect(tried).toMatchObject({ status: 'pending', response_status: null, last_error: 'The address took too long to answer.' });
    const { rows } = await engine.pool.query('select duration_ms from webhooks.attempts where subscription_id = $1', [slow.id]);
    expect(Math.floor(rows[0].duration_ms / 10_000)).toBe(1);
    await until(async () => (await engine.deliveries(fine.id)).every(({ status }) => status === 'delivered'));
  }),
);

test.concurrent(
  'a delivery without a recorded result is sent again while others are in progress',
  withEngine(async (engine, receiver) => {
    const hanging = await receiver(() => {});
    const { url, calls, waitFor } = await receiver();
    await engine.subscribe(hanging.url, { surface: 'catalog' });
    const { id } = await engine.subscribe(url);
    await engine.pool.query(`
    create sequence failures;
    create function fail_once() returns trigger language plpgsql as $$
    begin if nextval('failures') = 1 then raise 'the disk is full'; end if; return new; end $$;
    create trigger fails before insert on webhooks.attempts for each row execute function fail_once()`);
    engine.start();
    await engine.emit();
    await waitFor(2);
    expect(calls[1]?.text).toBe(calls[0]?.text);
    expect(await engine.tried(id, 1)).toMatchObject({ status: 'delivered', attempts: 1 });
  }),
);

test.concurrent(
  'a graceful shutdown releases slow deliveries to other processes',
  withEngine(async (engine, receiver) => {
    let answering = false;
    const { url, calls } = await receiver((_, response) => void (answering && response.end()));
    const { id } = await engine.subscribe(url, { surface: 'catalog' });
    const outbound = createOutbound({ allowHosts: ['127.0.0.1'] });
    const first = engine.start(undefined, outbound);
    await engine.emit();
    await until(() => calls.length === 1);
    await first.close();
    await outbound.close();
    expect((await engine.deliveries(id))[0]).toMatchObject({ status: 'pending', attempts: 0 });
    answering = true;
    engine.start();
    expect(await engine.tried(id, 1)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(calls[1]?.text).toBe(calls[0]?.text);
  }),
);
