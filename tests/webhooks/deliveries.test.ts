import { Client, Connection } from '@temporalio/client';
import { createDatabase } from '../support/database.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { environmentOf } from '../support/environment.ts';
import { insertEvent } from '../support/event-sql.ts';
import { type Running, startProcess } from '../support/processes.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { type Call, signaturesOf, startReceiver } from './receiver.ts';

let own: Awaited<ReturnType<typeof createDatabase>>;
let env: Record<string, string>;
let gateway: Running;
let worker: Running;
const open: (() => Promise<unknown>)[] = [];

const startWorker = async (more: Record<string, string> = {}) => {
  worker = await startProcess('start/worker.ts', [], { ...env, ...more });
};

beforeAll(async () => {
  own = await createDatabase();
  env = environmentOf({
    databaseUrl: own.url,
    env: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1' },
  });
  gateway = await startProcess('start/gateway.ts', [], env);
  await startWorker();
});
afterAll(async () => {
  await Promise.all([gateway.stop(), worker.stop()]);
  await Promise.all(open.map((close) => close()));
  await own.drop();
});

const events = ['product_enrichment.start', 'product_enrichment.completed', 'product_enrichment.stopped'];

async function seed(reply?: Parameters<typeof startReceiver>[0]) {
  const receiver = await startReceiver(reply);
  open.push(receiver.close);
  const catalog = await seedCatalog(undefined, { url: gateway.addresses.url!, databaseUrl: own.url });
  const act = async (action: string, fields: object = {}) =>
    (await catalog.api.post(`/api/${catalog.slug}/webhooks`, { action, ...fields })).body.data;
  return {
    ...catalog,
    receiver,
    act,
    create: async (fields: object = {}) =>
      (await act('create', { url: `${receiver.url}/hook?a=1`, eventType: events, ...fields })).webhook as {
        id: string;
        secret: string;
      },
    deliveries: async (webhookId: string) => (await catalog.api.graphql(LOG, { webhookId })).webhookDeliveries.nodes,
    replay: (id: string) => catalog.api.graphql(REPLAY, { id }),
  };
}

const DELIVERY =
  'id event status attempts responseStatus lastError nextAttemptAt body log { number responseStatus responseSnippet error durationMs at }';
const LOG = `query ($webhookId: ID!) { webhookDeliveries(webhookId: $webhookId) { nodes { ${DELIVERY} } } }`;
const REPLAY = 'mutation ($id: ID!) { replayWebhookDelivery(id: $id) { id status } }';

const eventsOf = (calls: Call[]) => calls.map(({ body }) => body.event).sort();

test('a completed job sends its start and completion events once each, and logs them', async () => {
  const { receiver, create, addColored, enrich, deliveries } = await seed();
  const { id: webhookId, secret } = await create({ method: 'put' });
  const { job } = await enrich(await addColored(2));
  const calls = await receiver.waitFor(2);
  const started = calls.find(({ body }) => body.event === 'product_enrichment.start');
  const completed = calls.find(({ body }) => body.event === 'product_enrichment.completed');
  expect(started?.body).toEqual({ webhookId, event: 'product_enrichment.start', payload: { id: job.id } });
  expect(completed?.body).toEqual({
    webhookId,
    event: 'product_enrichment.completed',
    payload: { id: job.id, status: 'completed', completedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
  });
  for (const call of calls) {
    expect([call.method, call.path]).toEqual(['PUT', '/hook?a=1']);
    expect(call.headers).toMatchObject({
      ...signaturesOf(call, secret),
      'x-svc-event': call.body.event,
      'user-agent': 'Svc-Webhooks/1',
    });
  }
  await until(async () => (await deliveries(webhookId)).every(({ status }: { status: string }) => status === 'delivered'));
  const log = await deliveries(webhookId);
  expect(log.map(({ event }: { event: string }) => event)).toEqual(['product_enrichment.completed', 'product_enrichment.start']);
  expect(log[0]).toEqual({
    id: completed?.headers['x-svc-delivery'],
    event: 'product_enrichment.completed',
    status: 'delivered',
    attempts: 1,
    responseStatus: 200,
    lastError: null,
    nextAttemptAt: null,
    body: completed?.text,
    log: [
      {
        number: 1,
        responseStatus: 200,
        responseSnippet: 'ok',
        error: null,
        durationMs: expect.any(Number),
        at: expect.any(String),
      },
    ],
  });
  expect(receiver.calls).toHaveLength(2);
});

test('a job with a failed item sends a failure event', async () => {
  const { receiver, create, addProducts, addColored, enrich } = await seed();
  await create();
  const [parent] = await addProducts([{ isParent: true }]);
  await enrich([parent!, ...(await addColored(1))]);
  const [, ended] = [...(await receiver.waitFor(2))].sort((a, b) => (a.body.event > b.body.event ? -1 : 1));
  expect(ended?.body.payload).toMatchObject({ status: 'completed_with_errors' });
});

test('a stopped job sends a stop event and no completion', async () => {
  const { receiver, create, addColored, start, stop, end, jobWhen } = await seed();
  await create();
  const jobId = await start(await addColored(60, '[[provider: slow 300]]'));
  await jobWhen(jobId, ({ status }) => status === 'processing');
  await stop(jobId);
  await end(jobId);
  const calls = await receiver.waitFor(2);
  expect(eventsOf(calls)).toEqual(['product_enrichment.start', 'product_enrichment.stopped']);
  const stopped = calls.find(({ body }) => body.event === 'product_enrichment.stopped');
  expect(stopped?.body.payload).toEqual({ id: jobId, status: 'stopped', stoppedAt: expect.stringMatching(/Z$/) });
});

test('an enabled webhook receives its events, and only of its organization', async () => {
  const [mine, other] = [await seed(), await seed()];
  await other.create();
  await mine.create({ enabled: false });
  const { id } = await mine.create({ eventType: ['product_enrichment.stopped', 'ai_import.start'] });
  const { id: wanted } = await mine.create({ eventType: ['product_enrichment.completed'] });
  await mine.enrich(await mine.addColored(1));
  const [call] = await mine.receiver.waitFor(1);
  expect(call?.body.webhookId).toBe(wanted);
  await mine.act('update', { id, eventType: events });
  await mine.act('update', { id: wanted, enabled: false });
  await mine.enrich(await mine.addColored(1));
  await mine.receiver.waitFor(3);
  expect(mine.receiver.calls.map(({ body }) => body.webhookId)).toEqual([wanted, id, id]);
  expect(other.receiver.calls).toEqual([]);
});

test('a rejected delivery is not retried automatically, and can be replayed with its id', async () => {
  const seeded = await seed((_, response, nth) => response.writeHead(nth === 1 ? 500 : 200).end(nth === 1 ? 'broken' : 'ok'));
  const { receiver, create, addColored, enrich, deliveries, replay, act, api } = seeded;
  const { id: webhookId, secret } = await create({ eventType: ['product_enrichment.completed'] });
  await enrich(await addColored(1));
  await until(async () => (await deliveries(webhookId))[0]?.status === 'failed');
  const [failed] = await deliveries(webhookId);
  expect(failed).toMatchObject({
    attempts: 1,
    responseStatus: 500,
    lastError: 'The receiver answered with status 500.',
    nextAttemptAt: null,
  });
  expect((await replay(failed.id)).replayWebhookDelivery).toEqual({ id: failed.id, status: 'pending' });
  await until(async () => (await deliveries(webhookId))[0].status === 'delivered');
  const [first, second] = receiver.calls;
  expect([second?.text, second?.headers['x-svc-delivery']]).toEqual([first?.text, first?.headers['x-svc-delivery']]);
  expect(second?.headers).toMatchObject(signaturesOf(second!, secret));
  const [again] = await deliveries(webhookId);
  expect(again.log).toMatchObject([
    { number: 1, responseStatus: 500, responseSnippet: 'broken' },
    { number: 2, responseStatus: 200, error: null },
  ]);

  await act('update', { id: webhookId, enabled: false });
  expect(await api.refusal(REPLAY, { id: failed.id })).toEqual({ code: 'UNPROCESSABLE', message: 'The webhook is disabled.' });
  expect(await (await seed()).api.refusal(REPLAY, { id: failed.id })).toEqual({ code: 'NOT_FOUND', message: 'Delivery not found' });
  await act('delete', { id: webhookId });
  expect(await api.refusal(REPLAY, { id: failed.id })).toEqual({ code: 'NOT_FOUND', message: 'Delivery not found' });
});

test('a worker that is killed in the middle of its deliveries loses none', async () => {
  // The first calls never get a response, so they are running when the worker dies.
  let answering = false;
  const { receiver, create, id: organizationId, deliveries } = await seed((_, response) => void (answering && response.end('ok')));
  const { id: webhookId } = await create();
  const db = database(own.url);
  await db.query(
    `with emitted as (
       insert into webhooks.events (id, organization_id, event, occurred_at, payload)
       select gen_random_uuid(), $1, 'product_enrichment.start', now(), '{"n":' || n || '}' from generate_series(1, 60) n returning id)
     insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, next_attempt_at)
     select gen_random_uuid(), $1, $2, 'product_enrichment.start', id, now() from emitted`,
    [organizationId, webhookId],
  );
  await db.query('notify webhook_deliveries');
  await receiver.waitFor(8);
  await worker.stop('SIGKILL');
  answering = true;
  await startWorker();
  await until(async () => new Set(receiver.calls.map(({ body }) => body.payload.n)).size === 60);
  const { rows } = await db.query('select status, count(*)::int from webhooks.deliveries where subscription_id = $1 group by 1', [
    webhookId,
  ]);
  await until(async () => (await deliveries(webhookId)).every(({ status }: { status: string }) => status === 'delivered'));
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(60);
});

test('the schedule sends deliveries without a notification', async () => {
  const { receiver, create, id: organizationId } = await seed();
  const { id: webhookId } = await create();
  const connection = await Connection.connect({ address: process.env.TEST_TEMPORAL_ADDRESS! });
  const { schedule, workflow } = new Client({ connection });
  const sweep = schedule.getHandle(`webhook-delivery/${env.TASK_QUEUE}`);
  expect((await sweep.describe()).spec.intervals).toMatchObject([{ every: 60_000 }]);
  await database(own.url).query(
    `with emitted as (${insertEvent('product_enrichment.start')})
     insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, next_attempt_at)
     select gen_random_uuid(), $1, $2, 'product_enrichment.start', id, now() from emitted`,
    [organizationId, webhookId],
  );
  await sweep.trigger();
  await receiver.waitFor(1);
  await until(async () => (await sweep.describe()).info.recentActions.length > 0);
  const [latest] = (await sweep.describe()).info.recentActions.slice(-1);
  const result = await workflow.getHandle(latest!.action.workflow.workflowId).result();
  await connection.close();
  expect(result).toEqual({ processed: expect.any(Number), delivered: expect.any(Number), failed: 0, remaining: 0 });
});

test('secrets encrypted by an earlier key still sign after the rotation', async () => {
  const { receiver, create, addColored, enrich } = await seed();
  const { id, secret } = await create();
  const sealed = async () =>
    (await database(own.url).query('select secret from webhooks.subscriptions where id = $1', [id])).rows[0].secret as Buffer;
  const before = await sealed();
  const newer = 'a-newer-key-that-is-long-enough-to-be-one';
  await worker.stop();
  await startWorker({ SECRETS_KEY: `${newer},${env.SECRETS_KEY}` });
  await until(async () => !(await sealed()).equals(before));
  // The old key is not needed any more.
  await worker.stop();
  await startWorker({ SECRETS_KEY: newer });
  await enrich(await addColored(1));
  for (const call of await receiver.waitFor(2)) expect(call.headers).toMatchObject(signaturesOf(call, secret));
});

test('a process that may need secrets does not start without the key', async () => {
  for (const script of ['start/gateway.ts', 'start/worker.ts'])
    await expect(startProcess(script, [], { ...env, PORT: '0', SECRETS_KEY: '' })).rejects.toThrow(/SECRETS_KEY is required/);
});

test('no log contains a secret', () => {
  expect(`${gateway.output()}${worker.output()}`).not.toMatch(/whsec_/);
});
