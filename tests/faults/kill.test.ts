import { Client, Connection } from '@temporalio/client';
import { followJob } from '../support/follow.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { expectInvariants, type Followed, PATIENCE, processedOf, runningItems } from './invariants.ts';
import { type Catalog, openCatalog, samples } from './kinds.ts';
import { openVictims, type Victims } from './system.ts';

const ITEMS = 80;
const LONG = PATIENCE + 60_000;
const enrichment = samples[0]!;

let victims: Victims;
beforeAll(async () => {
  victims = await openVictims();
});
afterAll(() => victims.close());

const seed = () => openCatalog(victims.url(), victims.databaseUrl);
const follow = ({ key }: Catalog, jobId: string): Followed => ({
  jobId,
  count: ITEMS,
  followed: followJob({ url: victims.url, key, jobId }),
});

/** A followed job that has begun. Its items take half a second each, so that it does not end before the fault. */
async function midway(catalog: Catalog) {
  const job = follow(catalog, await enrichment.start(catalog, ITEMS, '[[provider: slow 500]]'));
  await catalog.jobWhen(job.jobId, ({ processedCount }) => processedCount >= 16);
  return job;
}

const checkInvariants = (catalog: Catalog, job: Followed) => expectInvariants(enrichment, catalog, victims.databaseUrl, job);
const expectUnfinished = async (jobId: string) => expect(await processedOf(jobId, victims.databaseUrl)).toBeLessThan(ITEMS);

test(
  'a killed gateway stops no job, and its subscribers go on at the next',
  async () => {
    const catalog = await seed();
    const job = await midway(catalog);
    await victims.gateway.stop('SIGKILL');
    await expectUnfinished(job.jobId);
    await victims.startGateway();
    await checkInvariants(catalog, job);
  },
  LONG,
);

test(
  'gateway and worker killed at once lose nothing and repeat nothing',
  async () => {
    const catalog = await seed();
    const job = await midway(catalog);
    await Promise.all([victims.worker.stop('SIGKILL'), victims.gateway.stop('SIGKILL')]);
    await expectUnfinished(job.jobId);
    await Promise.all([victims.startGateway(), victims.startWorker()]);
    await checkInvariants(catalog, job);
  },
  LONG,
);

test(
  'a job that is paused when its worker is killed completes its running items at the next, and continues on request',
  async () => {
    const catalog = await seed();
    const job = await midway(catalog);
    await catalog.api.graphql('mutation ($id: ID!) { pauseJob(id: $id) { id } }', { id: job.jobId });
    await victims.worker.stop('SIGKILL');
    await victims.startWorker();
    await until(async () => (await runningItems(job.jobId, victims.databaseUrl)) === 0);
    await expectUnfinished(job.jobId);
    await catalog.api.graphql('mutation ($id: ID!) { continueJob(id: $id) { id } }', { id: job.jobId });
    await checkInvariants(catalog, job);
  },
  LONG,
);

test(
  'connections to the database that are cut are made again',
  async () => {
    const catalog = await seed();
    const job = await midway(catalog);
    for (let times = 0; times < 3; times += 1) {
      await cutConnections();
      await expectUnfinished(job.jobId);
    }
    await untilAnswered(() => catalog.job(job.jobId));
    await checkInvariants(catalog, job);
  },
  LONG,
);

test(
  'a job that is created while no worker runs starts when one comes',
  async () => {
    await victims.worker.stop();
    const catalog = await seed();
    const job = follow(catalog, await enrichment.start(catalog, ITEMS, ''));
    expect(await catalog.job(job.jobId)).toMatchObject({ status: 'pending', processedCount: 0 });
    await victims.startWorker();
    await checkInvariants(catalog, job);
  },
  LONG,
);

test(
  'a job whose workflow Temporal has lost is started again',
  async () => {
    const catalog = await seed();
    const job = await midway(catalog);
    const connection = await Connection.connect({ address: process.env.TEST_TEMPORAL_ADDRESS! });
    await new Client({ connection }).workflow.getHandle(`product-enrichment/${job.jobId}`).terminate();
    await connection.close();
    await expectUnfinished(job.jobId);
    // The reconciler checks older jobs once a minute and when a worker starts.
    const age = `update catalog.jobs set created_at = created_at - interval '1 minute' where id = $1`;
    await database(victims.databaseUrl).query(age, [job.jobId]);
    await victims.worker.stop();
    await victims.startWorker();
    await checkInvariants(catalog, job);
  },
  LONG,
);

const cutConnections = () =>
  database(victims.databaseUrl).query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );

const untilAnswered = (ask: () => Promise<unknown>) =>
  until(() =>
    ask().then(
      () => true,
      () => false,
    ),
  );
