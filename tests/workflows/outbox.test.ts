import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import fc from 'fast-check';
import { type Database, openDatabase } from '../../platform/database/database.ts';
import { Notifications } from '../../platform/queues/notifications.ts';
import { delayAfter } from '../../platform/queues/queue-worker.ts';
import { log } from '../../platform/telemetry/index.ts';
import { readQueues } from '../../platform/webhooks/claim.ts';
import { handlers, relayOutbox } from '../../workflows/outbox-relay.ts';
import { jobReconciler, sourceReconciler } from '../../workflows/reconcile.ts';
import { createDatabase } from '../support/database.ts';
import { insertEvent } from '../support/event-sql.ts';
import { seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';

let own: Awaited<ReturnType<typeof createDatabase>>;
let database: Database;
let notifications: Notifications;
beforeAll(async () => {
  own = await createDatabase();
  database = await openDatabase(own.url, []);
  notifications = await new Notifications(own.url).open();
});
afterAll(async () => {
  await notifications.close();
  await database.close();
  await own.drop();
});
beforeEach(() => database.pool.query('delete from identity.outbox'));
const { level } = log;
beforeAll(() => {
  log.level = 'silent';
});
afterAll(() => {
  log.level = level;
});

const post = async (jobId: string, attempts = 0) =>
  (
    await database.pool.query(`insert into identity.outbox (topic, payload, attempts) values ('job.start', $1, $2) returning id`, [
      JSON.stringify({ jobId }),
      attempts,
    ])
  ).rows[0].id as string;
const rows = async () =>
  (
    await database.pool.query(
      'select id, attempts, extract(epoch from due_at - now())::float as wait from identity.outbox order by id',
    )
  ).rows;

type Handle = Parameters<typeof relayOutbox>[2];
function relay(start: (jobId: string) => Promise<void>) {
  const ignore = async () => {};
  const handle: Handle = {
    'job.start': ({ jobId }) => start(jobId),
    'job.pause': ignore,
    'job.stop': ignore,
    'source.start': ignore,
    'source.stop': ignore,
    'test-run.start': ignore,
    'test-run.stop': ignore,
    'variants.touch': ignore,
    'label.move': ignore,
  };
  return relayOutbox(database.pool, notifications, handle);
}

test('the back-off is bounded for any number of failures', () => {
  const bounds = { shortest: 1_000, longest: 60_000 };
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (failures) => {
      const delay = delayAfter(failures, bounds);
      expect(delay).toBeGreaterThanOrEqual(bounds.shortest);
      expect(delay).toBeLessThanOrEqual(bounds.longest);
    }),
  );
  expect([1, 2, 3, 6, 7, 44, 1_000_000_000].map((failures) => delayAfter(failures, bounds))).toEqual([
    1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000,
  ]);
});

test('rows with any number of failures are retried and block no others', async () => {
  const attempts = [0, 1, 43, 44, 45, 1_000, 1_000_000_000, 2_147_483_646, 2_147_483_647];
  for (const each of attempts) await post(`bad ${each}`, each);
  await post('good');
  const started: string[] = [];
  const running = relay(async (jobId) => {
    if (jobId.startsWith('bad')) throw new Error('not now');
    started.push(jobId);
  });
  await until(async () => (await rows()).length === attempts.length && (await rows()).every(({ wait }) => wait > 0));
  await running.close();
  expect(started).toEqual(['good']);
  for (const { wait } of await rows()) expect(wait).toBeLessThanOrEqual(60);
});

test('a hanging message occupies only its own slot', async () => {
  await post('hangs');
  const started: string[] = [];
  const running = relay((jobId) => (jobId === 'hangs' ? new Promise(() => {}) : Promise.resolve(void started.push(jobId))));
  await until(async () => (await rows()).length === 1 && (await rows())[0].attempts === 1);
  await post('good');
  await until(() => started.includes('good'));
  await running.close();
});

test('the row of a dead process is claimed after its lease expires', async () => {
  const id = await post('orphan');
  await database.pool.query(`update identity.outbox set attempts = 1, due_at = now() + interval '1 second' where id = $1`, [id]);
  const started: string[] = [];
  const running = relay(async (jobId) => void started.push(jobId));
  await until(() => started.includes('orphan'));
  await until(async () => (await rows()).length === 0);
  await running.close();
});

test('a queued source is started when the workflow of its last run closes only after its worker was killed', async () => {
  const start = () => Promise.reject(new WorkflowExecutionAlreadyStartedError('It is running', 'source/1', 'indexSource'));
  const client = { withDeadline: (_: number, call: () => unknown) => call(), workflow: { start } } as unknown as Client;
  const handle = handlers(client, {
    taskQueue: 'jobs',
    startNextSources: async () => {},
    touchVariants: async () => {},
    continueMove: async () => {},
  });
  const isRetried = (attempts: number) =>
    handle['source.start']({ sourceId: '1', organizationId: '1' }, attempts).then(
      () => false,
      () => true,
    );
  let waited = 0;
  for (let attempts = 1; await isRetried(attempts); attempts += 1)
    waited += delayAfter(attempts, { shortest: 1_000, longest: 60_000 });
  // Temporal repeats the last step 15 seconds after the last heartbeat.
  expect(waited).toBeGreaterThan(20_000);
  expect(waited).toBeLessThan(60_000);
});

async function addJobs(count: number): Promise<string[]> {
  const { id: organizationId, owner } = await seedOrganization({ databaseUrl: own.url });
  const ids = Array.from({ length: count }, () => randomUUID());
  await database.pool.query(
    `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, created_at)
     select id, $2, 'product-enrichment', 'pending', 'budget-v1', 1, $3, now() - interval '1 hour' from unnest($1::uuid[]) id`,
    [ids, organizationId, owner.id],
  );
  return ids;
}
const restarted = async () =>
  (await database.pool.query(`select payload ->> 'jobId' as id from identity.outbox`)).rows.map(({ id }) => id as string);

test('every job without a workflow gets one again, by one message each', async () => {
  const connection = await Connection.connect({ address: process.env.TEST_TEMPORAL_ADDRESS! });
  const ids = await addJobs(620);
  const reconcile = jobReconciler(database.pool, new Client({ connection }));
  await reconcile();
  expect((await restarted()).sort()).toEqual(ids.sort());
  await reconcile();
  expect(await restarted()).toHaveLength(ids.length);
  await connection.close();
});

test('sources that are being indexed, or whose turn it is, get a missing workflow again', async () => {
  const { id: organizationId } = await seedOrganization({ databaseUrl: own.url });
  const [agentId, sourceId] = [randomUUID(), randomUUID()];
  await database.pool.query(
    `insert into agent.agents (id, organization_id, name, slug, public_slug, model_type, system_prompt, welcome_message, placeholder,
       suggested_messages, temperature, theme, branding, allowed_origins, max_tokens_per_message, max_retrieval_tokens, public_access, voice_enabled)
     values ($1, $2, 'a', 'a', 'a', 'agent-chat-v1', '', '', '', '{}', 0, '{}', '{}', '{}', 1024, 4000, true, false)`,
    [agentId, organizationId],
  );
  await database.pool.query(
    `insert into agent.sources (id, organization_id, agent_id, type, name, status, refresh_interval, updated_at)
     values ($1, $2, $3, 'text', 's', 'embedding', 'never', now() - interval '1 hour')`,
    [sourceId, organizationId, agentId],
  );
  // Two sources may be indexed at once: the oldest of the queued ones is next.
  const queued = Array.from({ length: 3 }, () => randomUUID());
  await database.pool.query(
    `insert into agent.sources (id, organization_id, agent_id, type, name, status, refresh_interval, updated_at, queued_at)
     select id, $2, $3, 'text', 's', 'queued', 'never', now() - interval '1 hour', now() - n * interval '1 minute'
       from unnest($1::uuid[]) with ordinality each(id, n)`,
    [queued, organizationId, agentId],
  );
  const connection = await Connection.connect({ address: process.env.TEST_TEMPORAL_ADDRESS! });
  const reconcile = sourceReconciler(database.pool, new Client({ connection }), 2);
  await reconcile();
  await reconcile();
  const { rows: posted } = await database.pool.query(`select topic, payload ->> 'sourceId' as id from identity.outbox`);
  const started = [sourceId, queued[2]].sort().map((id) => ({ topic: 'source.start', id }));
  expect(posted.sort((a, b) => a.id.localeCompare(b.id))).toEqual(started);
  await database.pool.query('delete from identity.outbox');
  // Nothing indexes the sources of an agent that is being removed.
  await database.pool.query('update agent.agents set deleted_at = now() where id = $1', [agentId]);
  await reconcile();
  expect(await rows()).toEqual([]);
  await connection.close();
});

test('the age of the oldest message is known, and zero while nothing waits', async () => {
  const ages = async () =>
    Object.fromEntries((await readQueues(database.pool)).map(({ queue, seconds }) => [queue, Math.round(seconds)]));
  expect(await ages()).toEqual({ outbox: 0, webhook_deliveries: 0 });
  await post('old');
  await database.pool.query(`update identity.outbox set created_at = now() - interval '1 hour'`);
  const { id } = await seedOrganization({ databaseUrl: own.url });
  const subscription = randomUUID();
  await database.pool.query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events) values ($1, $2, 'catalog', 'https://shop.example', '{}')`,
    [subscription, id],
  );
  await database.pool.query(
    `with emitted as (${insertEvent('lead.created')})
     insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, next_attempt_at)
     select gen_random_uuid(), $1, $2, 'lead.created', id, now() - wait from emitted, unnest(array['1 minute', '2 minutes', '-1 day']::interval[]) wait`,
    [id, subscription],
  );
  expect(await ages()).toEqual({ outbox: 3_600, webhook_deliveries: 120 });
  await database.pool.query(`update webhooks.deliveries set leased_by = id, leased_until = now() + interval '1 minute'
    where id = (select id from webhooks.deliveries limit 1)`);
  expect(await ages()).toEqual({ outbox: 3_600, webhook_deliveries: 0 });
});
