import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../start/servers/processes.ts';
import { startTemporal, type Temporal } from '../../start/servers/temporal.ts';
import { followJob } from '../support/follow.ts';
import { hasVectorPostgres, startVectorPostgres, type VectorPostgres } from '../support/pgvector.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { expectInvariants, type Followed, PATIENCE, processedOf } from './invariants.ts';
import { type Catalog, openCatalog, openMarketplace, type Sample, samples } from './kinds.ts';
import { openVictims, type Victims } from './system.ts';

const testWithServer = hasVectorPostgres('the restore of a backup') ? test : test.skip;
/** Items that finish before the backup. */
const BEFORE = 2;
const gates = randomUUID();
const gateOf = (kind: string) => `${gates}-${kind}`;

let folder: string;
let postgres: VectorPostgres;
let temporal: Temporal;
let receiver: Receiver;
let victims: Victims;
/** The receiver hangs before the restore, so deliveries are in progress in the backup. */
let isRestored = false;
const jobs = new Map<string, { catalog: Catalog; jobId: string; count: number }>();
/** Jobs that start just before the backup: one whose event is being delivered, and one that may still be in the outbox. */
let recent: Catalog;
const recentJobs: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-graph-restore-'));
  postgres = await startVectorPostgres();
  receiver = await startReceiver((_, response) => isRestored && response.end('ok'));
  // More slots and requests than blocked items, so that the recent jobs can start.
  const env = { SEARCH_URL: (await openMarketplace()).url, WORKER_CONCURRENCY: '200', MODEL_CONCURRENCY: '200' };
  victims = await openVictims(env, { url: postgres.url, drop: async () => {} });
  await Promise.all(samples.map(startJob));
  for (const { jobId } of jobs.values()) await until(async () => (await processedOf(jobId, postgres.url)) > 0, PATIENCE);
  await startRecent();

  const file = join(folder, 'backup');
  await runProgram('pg_dump', ['--format=custom', `--file=${file}`, postgres.url]);
  await Promise.all([victims.gateway.stop('SIGKILL'), victims.worker.stop('SIGKILL')]);
  await postgres.stop();
  receiver.calls.length = 0;
  isRestored = true;
  for (const { kind } of samples) await fetch(new URL(`/open/${gateOf(kind)}`, process.env.TEST_PROVIDER));

  temporal = await startTemporal({ dataDir: folder });
  postgres = await startVectorPostgres(postgres.port);
  await runProgram('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${postgres.url}`, file]);
  // The worker restarts the workflows of jobs that are older than half a minute.
  await database(postgres.url).query(`update catalog.jobs set created_at = created_at - interval '1 minute'`);
  victims.env.TEMPORAL_ADDRESS = temporal.address;
  await Promise.all([victims.startGateway(), victims.startWorker()]);
}, PATIENCE + 60_000);
afterAll(async () => {
  await victims?.close();
  await receiver?.close();
  await temporal?.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function runProgram(name: string, args: string[]): Promise<void> {
  const { code, output } = await run(join(postgres.programs, name), args);
  if (code !== 0) throw new Error(output);
}

async function startJob(sample: Sample) {
  const catalog = await openCatalog(victims.url(), postgres.url, sample.attributes);
  const count = BEFORE + sample.width;
  const jobId = await sample.start(catalog, count, `[[provider: gate ${BEFORE} ${gateOf(sample.kind)}]]`);
  jobs.set(sample.kind, { catalog, jobId, count });
}

async function startRecent() {
  const [{ start, events, attributes }] = samples as [Sample];
  recent = await openCatalog(victims.url(), postgres.url, attributes);
  await recent.api.post(`/api/${recent.slug}/webhooks`, { action: 'create', url: receiver.url, eventType: events });
  const directive = `[[provider: gate 0 ${gateOf(samples[0]!.kind)}]]`;
  recentJobs.push(await start(recent, 2, directive));
  await receiver.waitFor(1);
  recentJobs.push(await start(recent, 2, directive));
}

testWithServer.each(samples)(
  'a job of kind $kind continues from the backup, and each item counts once',
  async (sample) => {
    const { catalog, ...job } = jobs.get(sample.kind)!;
    const followed: Followed['followed'] = followJob({ url: victims.url, key: catalog.key, jobId: job.jobId });
    await expectInvariants(sample, catalog, postgres.url, { ...job, followed });
  },
  PATIENCE + 60_000,
);

testWithServer('jobs that had just been created finish, and each of their events is delivered once', async () => {
  for (const jobId of recentJobs) expect(await recent.end(jobId)).toMatchObject({ status: 'completed', successCount: 2 });
  const open = 'select 1 from webhooks.deliveries where next_attempt_at is not null union all select 1 from identity.outbox';
  await until(async () => (await database(postgres.url).query(open)).rows.length === 0);
  const events = samples[0]!.events.flatMap((event) => [event, event]);
  expect(receiver.calls.map(({ body }) => body.event).sort()).toEqual(events);
});
