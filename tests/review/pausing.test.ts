import { seedCatalog } from '../support/enrichment.ts';
import { readUntil, until } from '../support/until.ts';

const START = `mutation ($input: NewProductEnrichmentJob!, $limits: JobLimits) {
  createProductEnrichmentJob(input: $input, limits: $limits) { id } }`;
const CONTINUE = 'mutation ($id: ID!) { continueJob(id: $id) { id status paused } }';

async function open() {
  const catalog = await seedCatalog();
  const { api } = catalog;
  const start = async (productIds: string[], limits: object, more: object = {}): Promise<string> =>
    (await api.graphql(START, { input: { productIds, modelType: 'budget-v1', websearch: false, ...more }, limits }))
      .createProductEnrichmentJob.id;
  const isPaused = async (id: string) => (await api.graphql('query ($id: ID!) { job(id: $id) { paused } }', { id })).job.paused;
  const paused = (id: string) => until(() => isPaused(id));
  /** Number of pending items of a paused job after running items finish. */
  const waiting = async (id: string) => {
    await catalog.jobWhen(id, ({ processedCount }) => processedCount > 0);
    const read = async (): Promise<string[]> => (await catalog.items(id)).map(({ status }: { status: string }) => status);
    const statuses = await readUntil(read, (found) => !found.includes('processing'));
    return statuses.filter((status) => status === 'pending').length;
  };
  return { ...catalog, start, paused, isPaused, waiting, go: (id: string) => api.graphql(CONTINUE, { id }) };
}

test('the job pauses after the sample and continues on request', async () => {
  const { start, paused, waiting, go, end, addColored, job, isPaused, api, slug } = await open();
  const id = await start(await addColored(5), { sample: 2 });
  await paused(id);
  expect(await waiting(id)).toBe(3);
  expect(await job(id)).toMatchObject({ status: 'processing', processedCount: 2 });
  const { body } = await api.post(`/api/${slug}/product-enrichment-jobs/get`);
  expect(body.data.jobs[0]).toMatchObject({ id, status: 'processing', processedCount: 2 });
  await go(id);
  expect(await end(id)).toMatchObject({ status: 'completed', successCount: 5 });
  expect(await isPaused(id)).toBe(false);
});

test('the credit limit is never exceeded', async () => {
  const { start, paused, waiting, go, end, addColored, balance } = await open();
  const before = await balance();
  const id = await start(await addColored(12), { maxCredits: 4.5 });
  await paused(id);
  expect(await waiting(id)).toBe(8);
  expect(before - (await balance())).toBe(4);
  await go(id);
  expect(await end(id)).toMatchObject({ status: 'completed', successCount: 12 });
  expect(before - (await balance())).toBe(12);
});

test('too many errors pause the job, not before ten items', async () => {
  const { start, paused, waiting, addProducts, job } = await open();
  const id = await start(await addProducts(Array.from({ length: 90 }, () => ({}))), { maxErrorRate: 0.5 });
  await paused(id);
  expect(await waiting(id)).toBeGreaterThan(0);
  expect((await job(id)).failedCount).toBeGreaterThanOrEqual(10);
});

test('values that are too uncertain pause the job, not before ten items', async () => {
  const { start, paused, waiting, addColored, job, end, go } = await open();
  const id = await start(await addColored(60), { minConfidence: 99.9 });
  await paused(id);
  expect(await waiting(id)).toBeGreaterThan(0);
  expect((await job(id)).processedCount).toBeGreaterThanOrEqual(10);
  await go(id);
  expect(await end(id)).toMatchObject({ status: 'completed', successCount: 60 });
  expect(await end(await start(await addColored(12), { minConfidence: 10 }))).toMatchObject({ status: 'completed' });
});

test('a sample of all items completes the job', async () => {
  const { start, end, addColored } = await open();
  expect(await end(await start(await addColored(2), { sample: 2, maxErrorRate: 0.1, maxCredits: 100 }))).toMatchObject({
    status: 'completed',
  });
});

test('a paused job can be stopped', async () => {
  const { start, paused, stop, end, addColored, isPaused } = await open();
  const id = await start(await addColored(3), { sample: 1 });
  await paused(id);
  await stop(id);
  expect(await end(id)).toMatchObject({ status: 'stopped', successCount: 1, failedCount: 2 });
  expect(await isPaused(id)).toBe(false);
});

test('only a paused job can be continued', async () => {
  const { start, end, addColored, api } = await open();
  const id = await start(await addColored(1), {});
  await end(id);
  expect(await api.refusal(CONTINUE, { id })).toMatchObject({ code: 'UNPROCESSABLE' });
  const { api: stranger } = await seedCatalog();
  expect(await stranger.refusal(CONTINUE, { id })).toMatchObject({ code: 'NOT_FOUND' });
});

test('a job whose attribute set was deleted before its start fails', async () => {
  const { start, paused, go, end, items, addColored, attributeIds, balance, api } = await open();
  const create = 'mutation ($ids: [ID!]!) { createAttributeSet(name: "Main", attributeIds: $ids) { id } }';
  const { id: attributeSetId } = (await api.graphql(create, { ids: Object.values(attributeIds) })).createAttributeSet;
  const before = await balance();
  const id = await start(await addColored(3), { sample: 1 }, { attributeSetId });
  await paused(id);
  await api.graphql('mutation ($id: ID!) { deleteAttributeSet(id: $id) { deleted } }', { id: attributeSetId });
  await go(id);
  const errorSummary = 'Attribute set not found';
  expect(await end(id)).toMatchObject({ status: 'failed', processedCount: 3, successCount: 1, failedCount: 2, errorSummary });
  expect((await items(id)).map(({ errorMessage }: { errorMessage: string }) => errorMessage)).toEqual([
    null,
    errorSummary,
    errorSummary,
  ]);
  expect(before - (await balance())).toBe(1);
});
