import { randomUUID } from 'node:crypto';
import { runningItems } from '../faults/invariants.ts';
import { type Catalog, openCatalog, openMarketplace, type Sample, samples } from '../faults/kinds.ts';
import { openWorkerVictim, type WorkerVictim } from '../faults/system.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';

const RETRY = 'mutation ($jobId: ID!) { retryFailedItems(jobId: $jobId) { id kind totalCount modelType } }';
const RERUN = 'mutation ($jobId: ID!) { rerunJob(jobId: $jobId, modelType: "pro-v1") { id kind totalCount modelType } }';
const PAUSE = 'mutation ($id: ID!) { pauseJob(id: $id) { paused } }';
const CONTINUE = 'mutation ($id: ID!) { continueJob(id: $id) { id } }';

const repeatable = samples.filter(({ kind }) => kind !== 'ai-import');

let own: WorkerVictim;
beforeAll(async () => {
  // With it a job begins as wide as the samples.
  own = await openWorkerVictim({ SEARCH_URL: (await openMarketplace()).url, MODEL_CONCURRENCY: '10' });
});
afterAll(() => own.close());

const open = ({ attributes }: Sample) => openCatalog(own.url, own.databaseUrl, attributes);
const written = async ({ written }: Sample, jobId: string) => (await database(own.databaseUrl).query(written, [jobId])).rows[0];

/** A finished job of three items, some of which the provider rejected. */
async function ended(sample: Sample, catalog: Catalog, refusals: number): Promise<string> {
  const jobId = await sample.start(catalog, 3, `[[provider: 401 ${refusals} ${randomUUID()}]]`);
  expect(await catalog.end(jobId)).toMatchObject({ failedCount: refusals, successCount: 3 - refusals });
  return jobId;
}

/** Subject and result of each item. */
const about = async (jobId: string, status?: string) => {
  const query = `select product_id, file_id, file_page, subject, label, input_data from catalog.job_items
                  where job_id = $1 and ($2::text is null or status = $2) order by ordinal`;
  return (await database(own.databaseUrl).query(query, [jobId, status ?? null])).rows;
};

test.each(samples)('only failed items of $kind are retried', async (sample) => {
  const catalog = await open(sample);
  const jobId = await ended(sample, catalog, 2);
  const failed = await about(jobId, 'failed');
  const { retryFailedItems: again } = await catalog.api.graphql(RETRY, { jobId });
  expect(again).toEqual({ id: expect.any(String), kind: sample.kind, totalCount: 2, modelType: 'budget-v1' });
  expect(await catalog.end(again.id)).toMatchObject({ status: 'completed', successCount: 2, failedCount: 0 });
  expect(await about(again.id)).toEqual(failed);
  expect(await catalog.balance()).toBe(catalog.credits - 3 * sample.price);
  expect(await catalog.api.refusal(RETRY, { jobId: again.id })).toMatchObject({ code: 'UNPROCESSABLE' });
});

test.each(repeatable)('all items of $kind are re-run with the other tier, at its price', async (sample) => {
  const catalog = await open(sample);
  const jobId = await ended(sample, catalog, 1);
  const spent = catalog.credits - (await catalog.balance());
  const { rerunJob: again } = await catalog.api.graphql(RERUN, { jobId });
  expect(again).toEqual({ id: expect.any(String), kind: sample.kind, totalCount: 3, modelType: 'pro-v1' });
  expect(await catalog.end(again.id)).toMatchObject({ status: 'completed', successCount: 3, failedCount: 0 });
  expect(await about(again.id)).toEqual(await about(jobId));
  expect(await written(sample, again.id)).toEqual({ rows: 3 * sample.each, different: 3 * sample.each });
  expect(await catalog.balance()).toBe(catalog.credits - spent - 3 * 5 * sample.price);
});

test.each(repeatable.filter(({ events }) => events.length === 0))(
  'while another job of $kind is open, none is run again',
  async (sample) => {
    const catalog = await open(sample);
    const jobId = await ended(sample, catalog, 1);
    const gate = randomUUID();
    const busy = await sample.start(catalog, 1, `[[provider: gate 0 ${gate}]]`);
    for (const mutation of [RETRY, RERUN]) {
      expect(await catalog.api.refusal(mutation, { jobId })).toEqual({
        code: 'CONFLICT',
        message: expect.stringMatching(/ job is already in progress\. Please wait for it to complete before starting a new one\.$/),
      });
    }
    await fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER));
    await catalog.end(busy);
    expect((await catalog.api.graphql(RETRY, { jobId })).retryFailedItems.totalCount).toBe(1);
  },
);

test.each(samples)('a job of $kind that is not paused is not continued', async (sample) => {
  const catalog = await open(sample);
  const jobId = await ended(sample, catalog, 0);
  expect(await catalog.api.refusal(CONTINUE, { id: jobId })).toMatchObject({ code: 'UNPROCESSABLE' });
});

test.each(samples)('a job of $kind pauses on request and continues', async (sample) => {
  const catalog = await open(sample);
  const gate = randomUUID();
  const id = await sample.start(catalog, 2 * sample.width, `[[provider: gate 0 ${gate}]]`);
  await until(async () => (await runningItems(id, own.databaseUrl)) === sample.width);
  await catalog.api.graphql(PAUSE, { id });
  await fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER));
  await until(async () => (await runningItems(id, own.databaseUrl)) === 0);
  expect(await catalog.job(id)).toMatchObject({ status: 'processing', successCount: sample.width });
  await catalog.api.graphql(CONTINUE, { id });
  expect(await catalog.end(id)).toMatchObject({ status: 'completed', successCount: 2 * sample.width });
});

test('the failed pages of an AI import are retried once, because their products would be found a second time', async () => {
  const sample = samples.find(({ kind }) => kind === 'ai-import')!;
  const catalog = await open(sample);
  const jobId = await ended(sample, catalog, 1);
  const { retryFailedItems } = await catalog.api.graphql(RETRY, { jobId });
  await catalog.end(retryFailedItems.id);
  expect(await catalog.api.refusal(RETRY, { jobId })).toEqual({
    code: 'CONFLICT',
    message: 'The failed items were retried already. Retry the failed items of that job.',
  });
});

test('an AI import is not run again, because all its products would be found a second time', async () => {
  const sample = samples.find(({ kind }) => kind === 'ai-import')!;
  const catalog = await open(sample);
  const jobId = await ended(sample, catalog, 1);
  expect(await catalog.api.refusal(RERUN, { jobId })).toEqual({
    code: 'UNPROCESSABLE',
    message: 'An AI import is created again from its files.',
  });
});
