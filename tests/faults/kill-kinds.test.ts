import { randomUUID } from 'node:crypto';
import { followJob } from '../support/follow.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { expectInvariants, type Followed, PATIENCE, processedOf, runningItems } from './invariants.ts';
import { type Catalog, openCatalog, openMarketplace, type Sample, samples } from './kinds.ts';
import { openWorkerVictim, type WorkerVictim } from './system.ts';

/** Items that finish before the kill. More are running then, and equally many are pending. */
const BEFORE = 4;
const run = randomUUID();
const LONG = PATIENCE + 60_000;
const gateOf = (kind: string) => `${run}-${kind}`;

let victims: WorkerVictim;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
const jobs = new Map<string, Followed & { catalog: Catalog }>();

beforeAll(async () => {
  const { url } = await openMarketplace();
  victims = await openWorkerVictim({ SEARCH_URL: url });
  receiver = await startReceiver();
  await Promise.all(samples.map(startJob));
  // The provider blocks after this many requests, so that no job can finish.
  for (const { jobId } of jobs.values())
    await until(
      async () => (await processedOf(jobId, victims.databaseUrl)) > 0 && (await runningItems(jobId, victims.databaseUrl)) > 0,
      PATIENCE,
    );
  await victims.worker.stop('SIGKILL');
  for (const { kind } of samples) await fetch(new URL(`/open/${gateOf(kind)}`, process.env.TEST_PROVIDER));
  await victims.startWorker();
}, LONG);
afterAll(async () => {
  await victims.close();
  await receiver.close();
});

/** A job with a subscriber and a webhook. */
async function startJob(sample: Sample) {
  const catalog = await openCatalog(victims.url, victims.databaseUrl, sample.attributes);
  const eventType = samples.flatMap(({ events }) => events);
  await catalog.api.post(`/api/${catalog.slug}/webhooks`, { action: 'create', url: receiver.url, eventType });
  const count = BEFORE + 2 * sample.width;
  const jobId = await sample.start(catalog, count, `[[provider: gate ${BEFORE} ${gateOf(sample.kind)}]]`);
  jobs.set(sample.kind, { catalog, jobId, count, followed: followJob({ url: () => victims.url, key: catalog.key, jobId }) });
}

test.each(samples)(
  'a worker killed in the middle of $kind loses nothing and repeats nothing',
  async (sample) => {
    const { catalog, ...job } = jobs.get(sample.kind)!;
    await expectInvariants(sample, catalog, victims.databaseUrl, job);
    const told = async () => {
      const query = `select event, status from webhooks.deliveries where organization_id = $1 order by event`;
      return (await database(victims.databaseUrl).query(query, [catalog.id])).rows;
    };
    await until(async () => (await told()).every(({ status }) => status === 'delivered'));
    expect((await told()).map(({ event }) => event)).toEqual(sample.events);
  },
  LONG,
);
