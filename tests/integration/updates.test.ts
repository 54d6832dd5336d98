import { database } from '../support/seed.ts';
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

const UPDATES = `subscription ($id: ID!, $after: Int) {
  eventDeliveryUpdates(subscriptionId: $id, after: $after) { sequence isSnapshot attempt { number responseStatus } delivery { id status event } }
}`;

type Seeded = Awaited<ReturnType<typeof receiving.open>>;
interface Update {
  sequence: number;
  isSnapshot: boolean;
  attempt: { number: number; responseStatus: number };
  delivery: { id: string; status: string };
}

/** Receive updates until `stop`, or until the stream ends. */
function follow({ subscribe, subscription: { id } }: Seeded, after?: number) {
  const updates: Update[] = [];
  const stream = subscribe(UPDATES, { id, after });
  const ended = (async () => {
    for await (const { data, errors } of stream) {
      if (errors) throw new Error(errors[0]?.message);
      updates.push(data!.eventDeliveryUpdates);
    }
  })();
  return { updates, ended, stop: async () => void (await stream.return?.()) };
}

/** Wait until the stream of a new subscriber is open. */
const watched = ({ subscription: { id } }: Seeded) =>
  until(async () => {
    const { rows } = await database(receiving.system.databaseUrl).query(
      'select watched_until from webhooks.subscriptions where id = $1',
      [id],
    );
    return rows[0].watched_until !== null;
  });

test('each attempt is an update, in order and without gaps, also for a client that returns', async () => {
  const seeded = await receiving.open();
  const live = follow(seeded);
  await watched(seeded);
  status = 500;
  await seeded.lead('Ada');
  await receiving.sweep();
  await until(() => live.updates.length === 1);
  expect(live.updates[0]).toMatchObject({
    sequence: 1,
    attempt: { number: 1, responseStatus: 500 },
    delivery: { status: 'pending' },
  });
  await live.stop();
  status = 200;
  await receiving.skipWaits();
  for (const name of ['Eve', 'Mae']) await seeded.lead(name);
  await receiving.sweep();
  const returned = follow(seeded, 1);
  await until(() => returned.updates.length === 3);
  expect(returned.updates.map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
  expect(returned.updates.every(({ delivery }) => delivery.status === 'delivered')).toBe(true);
  const fromStart = follow(seeded, 0);
  await until(() => fromStart.updates.length === 4);
  await Promise.all([returned.stop(), fromStart.stop()]);
});

test('concurrent attempts have distinct numbers, and every subscriber receives all of them', async () => {
  const seeded = await receiving.open();
  const followers = [follow(seeded), follow(seeded, 0), follow(seeded, 20)];
  await watched(seeded);
  for (let nth = 0; nth < 60; nth += 1) await seeded.lead(`Lead ${nth}`);
  await Promise.all([receiving.sweep(), receiving.sweep()]);
  for (const { updates, stop } of followers) {
    await until(() => updates.length >= 60);
    expect(updates.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    await stop();
  }
  // A client that returns without its number, or with a number that does not exist, gets the latest attempts.
  for (const after of [undefined, 1_000]) {
    const { updates, stop } = follow(seeded, after);
    await until(() => updates.length === 50);
    expect([updates[0]!.sequence, updates.at(-1)!.sequence]).toEqual([11, 60]);
    expect(updates.every(({ isSnapshot }) => isSnapshot)).toBe(true);
    await stop();
  }
});

test('the stream ends when the subscription is deleted', async () => {
  const seeded = await receiving.open();
  const live = follow(seeded);
  await watched(seeded);
  await seeded.remove(`/webhooks?id=${seeded.subscription.id}`);
  await live.ended;
  expect(live.updates).toEqual([]);
});

test('an unknown subscription, and one of another organization, have no stream', async () => {
  const [own, other] = [await receiving.open(), await receiving.open()];
  await expect(follow({ ...own, subscription: other.subscription }).ended).rejects.toBeDefined();
  await expect(follow({ ...own, subscription: { id: 'none', secret: '' } }).ended).rejects.toBeDefined();
});
