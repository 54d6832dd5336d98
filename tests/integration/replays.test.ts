import { until } from '../support/until.ts';
import { startReceiving } from './receiving.ts';

let status = 200;
let receiving: Awaited<ReturnType<typeof startReceiving>>;
beforeAll(async () => {
  receiving = await startReceiving((_, response) => void response.writeHead(status).end());
});
afterAll(() => receiving.stop());
beforeEach(() => {
  status = 200;
});

const FIELDS = 'id status total scheduled from to endedAt';
const START = `mutation ($id: ID!, $range: DeliveryRange!) { replayEventDeliveries(subscriptionId: $id, range: $range) { ${FIELDS} } }`;
const READ = `query ($id: ID!) { eventDeliveryReplay(id: $id) { ${FIELDS} } }`;
const STOP = `mutation ($id: ID!) { stopEventDeliveryReplay(id: $id) { ${FIELDS} } }`;
const ENABLE = 'mutation ($id: ID!) { enableEventSubscription(id: $id) { disabledAt } }';

/** Two days ago; older than all deliveries of other tests, and recent enough to be stored. */
const START_TIME = new Date(Date.now() - 2 * 86_400_000);

let paths = 0;
async function open() {
  paths += 1;
  const path = `/${paths}`;
  const seeded = await receiving.open({ path });
  const { id } = seeded.subscription;
  return {
    ...seeded,
    id,
    calls: () => receiving.receiver.calls.filter((call) => call.path === path),
    start: async (range: object = {}) => (await seeded.graphql(START, { id, range })).replayEventDeliveries,
    read: async (replay: string) => (await seeded.graphql(READ, { id: replay })).eventDeliveryReplay,
    /** Deliveries of the past, one each second, of which every third failed. */
    addEnded: (count: number) =>
      receiving.pool.query(
        `with numbered as (select n, gen_random_uuid() as id from generate_series(1, $3) n),
              emitted as (insert into webhooks.events (id, organization_id, event, occurred_at, payload)
                          select id, $1, 'lead.created', now(), json_build_object('nth', n) from numbered returning id)
         insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, status, attempts, created_at)
         select gen_random_uuid(), $1, $2, 'lead.created', id, case when n % 3 = 0 then 'failed' else 'delivered' end, 5,
                $4::timestamptz + n * interval '1 second' from numbered join emitted using (id)`,
        [seeded.organization.id, id, count, START_TIME],
      ),
  };
}

test('a range is sent in batches by concurrent sweeps, each delivery once', async () => {
  const { start, read, addEnded, calls } = await open();
  await addEnded(350);
  const replay = await start();
  expect(replay).toMatchObject({ status: 'running', total: 350, scheduled: 0, endedAt: null });
  await until(async () => {
    await Promise.all([receiving.sweep(), receiving.sweep()]);
    return (await read(replay.id)).status === 'completed';
  });
  await receiving.sweep();
  expect(await read(replay.id)).toMatchObject({ total: 350, scheduled: 350, endedAt: expect.any(String) });
  expect(
    calls()
      .map(({ body }) => body.data.nth)
      .sort((a, b) => a - b),
  ).toEqual(Array.from({ length: 350 }, (_, n) => n + 1));
});

test('a range is limited by status and time', async () => {
  const { start, addEnded, calls } = await open();
  await addEnded(30);
  const at = (second: number) => new Date(START_TIME.getTime() + second * 1_000).toISOString();
  expect(await start({ status: 'failed', from: at(6), to: at(12) })).toMatchObject({ total: 2 });
  await receiving.sweep();
  expect(
    calls()
      .map(({ body }) => body.data.nth)
      .sort((a, b) => a - b),
  ).toEqual([6, 9]);
});

test('a replay of everything since a disable sends the events that were missed', async () => {
  const { id, start, lead, calls, graphql, refusal } = await open();
  await lead('Before');
  await receiving.sweep();
  status = 500;
  for (let nth = 0; nth < 15; nth += 1) await lead(`Failing ${nth}`);
  await receiving.sweep();
  await lead('Missed 1');
  await lead('Missed 2');
  const disabled = { code: 'UNPROCESSABLE', message: 'The subscription is disabled.' };
  expect(await refusal(START, { id, range: { sinceDisabled: true } })).toEqual(disabled);
  status = 200;
  const { disabledAt } = (await graphql(ENABLE, { id })).enableEventSubscription;
  const sent = calls().length;
  expect(await start({ sinceDisabled: true })).toMatchObject({ total: 2, from: disabledAt });
  await receiving.sweep();
  const names = calls()
    .slice(sent)
    .map(({ body }) => body.data.name);
  expect(names.sort()).toEqual(['Missed 1', 'Missed 2']);
});

test('new events wait for a part of a replay only', async () => {
  const { start, lead, addEnded, id } = await open();
  await addEnded(350);
  await start();
  // One claim schedules what fits, and the event comes after it.
  await receiving.pool.query('update webhooks.subscriptions set enabled = false where id <> $1', [id]);
  await lead('New');
  await receiving.sweep();
  const { rows } = await receiving.pool.query(
    `select count(*)::int as before from webhooks.attempts a join webhooks.deliveries d on d.id = a.delivery_id
      where d.subscription_id = $1 and a.sequence < (
        select a.sequence from webhooks.attempts a join webhooks.deliveries d on d.id = a.delivery_id
          join webhooks.events e on e.id = d.event_id where d.subscription_id = $1 and e.payload like '%New%')`,
    [id],
  );
  expect(rows[0].before).toBeLessThan(250);
});

test('one replay runs at a time; a stopped one schedules no more', async () => {
  const { id, start, read, addEnded, graphql, refusal, calls } = await open();
  await addEnded(500);
  const replay = await start();
  expect(await refusal(START, { id, range: {} })).toEqual({
    code: 'CONFLICT',
    message: 'Another replay of this subscription is running.',
  });
  expect((await graphql(STOP, { id: replay.id })).stopEventDeliveryReplay).toMatchObject({ status: 'stopped', scheduled: 0 });
  await receiving.sweep();
  expect([calls(), await read(replay.id)]).toMatchObject([[], { status: 'stopped', scheduled: 0 }]);
  expect((await start({ status: 'failed' })).status).toBe('running');
});

test('ranges that are empty or impossible', async () => {
  const { id, start, refusal, read } = await open();
  const { id: nothing } = await start();
  await receiving.sweep();
  expect(await read(nothing)).toMatchObject({ status: 'completed', total: 0, scheduled: 0 });
  const rejected = async (range: object) => (await refusal(START, { id, range })).message;
  expect(await rejected({ status: 'pending' })).toMatch(/pending deliveries are still to be sent/);
  expect(await rejected({ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' })).toBe('to must be later than from');
  expect(await rejected({ sinceDisabled: true })).toBe('Failures have not disabled the subscription.');
  expect(await refusal(START, { id: 'none', range: {} })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await refusal(READ, { id: 'none' })).toMatchObject({ code: 'NOT_FOUND' });
});
