import { Client, Connection } from '@temporalio/client';
import { createDatabase } from '../support/database.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { expectWhole, followJob, type Update } from '../support/follow.ts';
import { type Running, startProcess } from '../support/processes.ts';
import { database } from '../support/seed.ts';
import { environmentOf } from '../support/system.ts';

const ITEMS = 200;
const CREDITS = 1_000;

let own: Awaited<ReturnType<typeof createDatabase>>;
let env: Record<string, string>;
let gateway: Running;
let worker: Running;

const startWorker = async () => (worker = await startProcess('start/worker.ts', [], env));
/** On the same port each time, as a supervisor starts it again. */
const startGateway = async () => {
  gateway = await startProcess('start/gateway.ts', [], env);
  env.PORT = new URL(gateway.addresses.url!).port;
};

beforeAll(async () => {
  own = await createDatabase();
  env = environmentOf({
    databaseUrl: own.url,
    temporalAddress: process.env.TEST_TEMPORAL_ADDRESS!,
    provider: process.env.TEST_PROVIDER!,
  });
  await startGateway();
  await startWorker();
});
afterAll(async () => {
  await Promise.all([gateway.stop(), worker.stop()]);
  await own.drop();
});

const seed = () => seedCatalog(undefined, { credits: CREDITS, url: gateway.addresses.url!, databaseUrl: own.url });
type Catalog = Awaited<ReturnType<typeof seed>>;

/** A job that somebody follows, caught in the middle. */
async function midway(catalog: Catalog) {
  const jobId = await catalog.start(await catalog.addColored(ITEMS, '[[provider: slow 100]]'));
  const followed = followJob({ url: () => gateway.addresses.url!, key: catalog.key, jobId });
  await catalog.jobWhen(jobId, ({ processedCount }) => processedCount >= 40);
  return { jobId, followed };
}

/** Every item ended, was counted, charged, recorded and shown exactly once. */
async function expectUnharmed(catalog: Catalog, { jobId, followed }: { jobId: string; followed: Promise<{ updates: Update[] }> }) {
  expect(await catalog.end(jobId)).toMatchObject({
    status: 'completed',
    totalCount: ITEMS,
    processedCount: ITEMS,
    successCount: ITEMS,
    failedCount: 0,
  });
  const each = ITEMS;
  expect(await catalog.trace(jobId)).toEqual({
    items: each,
    ended: each,
    history: each,
    charges: each,
    refunds: 0,
    shown: each,
    shownOnce: each,
  });
  expect(await catalog.balance()).toBe(CREDITS - ITEMS);
  const { updates } = await followed;
  expectWhole(updates, ITEMS);
  expect(updates.at(-1)?.status).toBe('completed');
}

/** How many items were at their end when the fault struck, as the database says. */
async function expectUnfinished(jobId: string): Promise<void> {
  const { rows } = await database(own.url).query('select processed_count from catalog.jobs where id = $1', [jobId]);
  expect(rows[0].processed_count).toBeLessThan(ITEMS);
}

test('a killed worker loses nothing and repeats nothing', async () => {
  const catalog = await seed();
  const job = await midway(catalog);
  await worker.stop('SIGKILL');
  await expectUnfinished(job.jobId);
  await startWorker();
  await expectUnharmed(catalog, job);
});

test('a killed gateway stops no job, and its subscribers go on at the next', async () => {
  const catalog = await seed();
  const job = await midway(catalog);
  await gateway.stop('SIGKILL');
  await expectUnfinished(job.jobId);
  await startGateway();
  await expectUnharmed(catalog, job);
});

test('gateway and worker killed at once lose nothing and repeat nothing', async () => {
  const catalog = await seed();
  const job = await midway(catalog);
  await Promise.all([worker.stop('SIGKILL'), gateway.stop('SIGKILL')]);
  await expectUnfinished(job.jobId);
  await Promise.all([startGateway(), startWorker()]);
  await expectUnharmed(catalog, job);
});

test('connections to the database that are cut are made again', async () => {
  const catalog = await seed();
  const job = await midway(catalog);
  for (let times = 0; times < 3; times += 1) {
    await cutConnections();
    await expectUnfinished(job.jobId);
  }
  await untilAnswered(() => catalog.job(job.jobId));
  await expectUnharmed(catalog, job);
});

test('a job that is created while no worker runs starts when one comes', async () => {
  await worker.stop();
  const catalog = await seed();
  const jobId = await catalog.start(await catalog.addColored(ITEMS));
  const followed = followJob({ url: () => gateway.addresses.url!, key: catalog.key, jobId });
  expect(await catalog.job(jobId)).toMatchObject({ status: 'pending', processedCount: 0 });
  await startWorker();
  await expectUnharmed(catalog, { jobId, followed });
});

test('a job whose workflow Temporal has lost is started again', async () => {
  const catalog = await seed();
  const job = await midway(catalog);
  const connection = await Connection.connect({ address: process.env.TEST_TEMPORAL_ADDRESS! });
  await new Client({ connection }).workflow.getHandle(`product-enrichment/${job.jobId}`).terminate();
  await connection.close();
  await expectUnfinished(job.jobId);
  // Only jobs that are not brand-new are looked after, once a minute and when a worker starts.
  await database(own.url).query(`update catalog.jobs set created_at = created_at - interval '1 minute' where id = $1`, [job.jobId]);
  await worker.stop();
  await startWorker();
  await expectUnharmed(catalog, job);
});

const cutConnections = () =>
  database(own.url).query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );

async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (
      await ask().then(
        () => true,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Nobody answers any more');
}
