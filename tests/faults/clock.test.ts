import { caller } from '../support/client.ts';
import { followJob } from '../support/follow.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { expectInvariants, type Followed, PATIENCE } from './invariants.ts';
import { type Catalog, openCatalog, samples } from './kinds.ts';
import { openVictims, type Victims } from './system.ts';

const ITEMS = 60;
const MINUTE = 60_000;
const preload = new URL('../support/jumping-clock.mjs', import.meta.url);
const enrichment = samples[0]!;

let victims: Victims;
let receiver: Receiver;
let catalog: Catalog;
let job: Followed;
/** The receiver fails the first attempt of each delivery, so that it has a next attempt. */
const failed = new Set<string>();

const rows = async (statement: string, values: unknown[] = []) =>
  (await database(victims.databaseUrl).query(statement, values)).rows;
const jump = () => {
  for (const { pid } of [victims.gateway, victims.worker]) process.kill(pid, 'SIGWINCH');
};

/** Everything that a request stores with a time, or that a stored time decides. */
async function useService() {
  const { api, slug } = catalog;
  const sku = `clock-${Math.random()}`;
  const headers = { 'idempotency-key': sku };
  const create = () => api.post(`/api/${slug}/products/create`, { sku, name: sku }, headers);
  const [first, again] = [await create(), await create()];
  expect([first.status, again.body]).toEqual([200, first.body]);
  const [{ ahead }] = await rows(
    `select abs(extract(epoch from created_at - now()))::float as ahead from catalog.products where sku = $1`,
    [sku],
  );
  expect(ahead).toBeLessThan(60);
  const reset = Number(first.headers.get('x-ratelimit-reset')) * 1_000;
  expect(Math.abs(reset - Date.now())).toBeLessThan(2 * MINUTE);
  const windows = await rows(`select max(expire) - extract(epoch from now()) * 1000 as ms from identity.rate_limits`);
  expect(Number(windows[0].ms)).toBeLessThan(MINUTE + 5_000);

  const { addKey, owner } = await seedOrganization({ databaseUrl: victims.databaseUrl });
  const status = async (minutes: number) =>
    (
      await caller(await addKey(owner.id, { expiresAt: new Date(Date.now() + minutes * MINUTE) }), { url: victims.url() }).post(
        '/graphql',
        { query: '{ me { id } }' },
      )
    ).body.errors?.[0].extensions.code;
  expect([await status(10), await status(-10)]).toEqual([undefined, 'INVALID_KEY']);
}

beforeAll(async () => {
  receiver = await startReceiver(({ headers }, response) => {
    const id = String(headers['x-svc-delivery']);
    response.writeHead(failed.has(id) ? 200 : 503).end();
    failed.add(id);
  });
  victims = await openVictims({ NODE_OPTIONS: `--import ${preload.href}`, METRICS_PORT: '' });
  catalog = await openCatalog(victims.url(), victims.databaseUrl);
  const body = { action: 'create', url: receiver.url, eventType: enrichment.events };
  await catalog.api.post(`/api/${catalog.slug}/webhooks`, body);
  const jobId = await enrichment.start(catalog, ITEMS, '[[provider: slow 300]]');
  job = { jobId, count: ITEMS, followed: followJob({ url: victims.url, key: catalog.key, jobId }) };
});
afterAll(async () => {
  await victims.close();
  await receiver.close();
});

test.each(['an hour ahead', 'an hour behind', 'right again'])(
  'a clock that jumps to %s changes no stored time, limit or key',
  async () => {
    jump();
    await useService();
  },
);

test(
  'a job during which the clocks jump processes, charges and reports each item once',
  async () => {
    await expectInvariants(enrichment, catalog, victims.databaseUrl, job);
  },
  PATIENCE,
);

test('leases and next attempts are not moved by a clock that jumps', async () => {
  jump();
  const jobId = await enrichment.start(catalog, 2, '');
  await catalog.end(jobId);
  await until(async () => (await rows(`select 1 from webhooks.deliveries where status = 'pending'`)).length === 0);
  const far = `
    select 'delivery' as what from webhooks.deliveries where leased_until > now() + interval '5 minutes' or created_at > now() + interval '1 minute'
    union all select 'outbox' from identity.outbox where due_at > now() + interval '5 minutes'
    union all select 'key' from identity.idempotency_keys where leased_until > now() + interval '1 minute' or created_at > now() + interval '1 minute'
    union all select 'job' from catalog.jobs where abs(extract(epoch from created_at - now())) > 600`;
  expect(await rows(far)).toEqual([]);
  expect(new Set(receiver.calls.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(receiver.calls.length);
});
