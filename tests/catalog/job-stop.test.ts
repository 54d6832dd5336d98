import { until } from '../support/until.ts';
import { aTime, type Catalog, openCatalog, refused } from './catalog.ts';
import { createAttribute, createProducts, ended, startJob } from './enrichment.ts';

const COUNT = 60;
const inProgress = refused(400, 'Job cannot be stopped because it is not in progress');

/** A job with slow items, and more products than its concurrency. */
async function slowJob(catalog: Catalog): Promise<string> {
  await createAttribute(catalog);
  return startJob(
    catalog,
    await createProducts(catalog, COUNT, { userProvidedRawDataSources: ['Colour: Red [[provider: slow 1500]]'] }),
  );
}

const stop = ({ post }: Catalog, jobId: string) => post(`/product-enrichment-jobs/${jobId}/stop`);

test('a job in progress is stopped with the documented answer; a second time is rejected', async () => {
  const catalog = await openCatalog();
  const jobId = await slowJob(catalog);
  const stopped = { success: true, message: 'Enrichment job stopped successfully', data: { jobId, status: 'stopped' } };
  expect(await stop(catalog, jobId)).toEqual({ status: 200, body: stopped });
  expect(await stop(catalog, jobId)).toEqual(inProgress);
  const { jobs } = (await catalog.post('/product-enrichment-jobs/get')).body.data;
  expect(jobs).toMatchObject([{ id: jobId, status: 'stopped', totalProducts: COUNT, completedAt: aTime }]);
});

test('waiting items fail immediately, and running items finish', async () => {
  const catalog = await openCatalog();
  const jobId = await slowJob(catalog);
  const items = async () => (await catalog.post(`/product-enrichment-jobs/${jobId}/items/get`, { limit: 100 })).body.data.items;
  const count = async (status: string) => (await items()).filter((item: { status: string }) => item.status === status).length;
  await until(async () => (await count('processing')) > 0);
  await stop(catalog, jobId);
  await until(async () => (await count('processing')) === 0);
  const failed = (await items()).filter((item: { status: string }) => item.status === 'failed');
  expect(new Set(failed.map((item: { errorMessage: string }) => item.errorMessage))).toEqual(new Set(['Job was stopped by user']));
  expect(await count('completed')).toBeGreaterThan(0);
  const [job] = (await catalog.post('/product-enrichment-jobs/get')).body.data.jobs;
  const completed = await count('completed');
  expect(job).toMatchObject({ status: 'stopped', processedCount: COUNT, successCount: completed, failedCount: COUNT - completed });
});

test('one of several concurrent stops succeeds', async () => {
  const catalog = await openCatalog();
  const jobId = await slowJob(catalog);
  const answers = await Promise.all(Array.from({ length: 5 }, () => stop(catalog, jobId)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
});

test('a job that has ended cannot be stopped', async () => {
  const catalog = await openCatalog();
  const jobId = await startJob(catalog, await createProducts(catalog, 1));
  const status = await ended(catalog, jobId);
  expect(await stop(catalog, jobId)).toEqual(inProgress);
  expect((await catalog.post('/product-enrichment-jobs/get')).body.data.jobs).toMatchObject([{ id: jobId, status }]);
});
