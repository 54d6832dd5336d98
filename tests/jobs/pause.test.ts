import { randomUUID } from 'node:crypto';
import { seedCatalog } from '../support/enrichment.ts';
import { until } from '../support/until.ts';

const START = `mutation ($input: NewProductEnrichmentJob!, $limits: JobLimits) {
  createProductEnrichmentJob(input: $input, limits: $limits) { id } }`;
const STATE = 'id status paused pauseReason';
const PAUSE = `mutation ($id: ID!) { pauseJob(id: $id) { ${STATE} } }`;
const CONTINUE = `mutation ($id: ID!) { continueJob(id: $id) { ${STATE} } }`;
/** Items of a product enrichment that run at the same time. */
const WIDTH = 20;

/** A catalog whose jobs wait in the middle of their first items until `release`. */
async function open() {
  const catalog = await seedCatalog();
  const { api } = catalog;
  const gate = randomUUID();
  const statuses = async (id: string): Promise<string[]> =>
    (await catalog.items(id)).map(({ status }: { status: string }) => status);
  const count = async (id: string, wanted: string) => (await statuses(id)).filter((status) => status === wanted).length;
  const state = async (id: string) => (await api.graphql(`query ($id: ID!) { job(id: $id) { ${STATE} } }`, { id })).job;
  return {
    ...catalog,
    count,
    state,
    async begin(items: number, limits: object = {}): Promise<string> {
      const productIds = await catalog.addColored(items, `[[provider: gate 0 ${gate}]]`);
      const input = { productIds, modelType: 'budget-v1', websearch: false };
      const { id } = (await api.graphql(START, { input, limits })).createProductEnrichmentJob;
      await until(async () => (await count(id, 'processing')) === Math.min(items, WIDTH));
      return id;
    },
    release: () => fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER)),
    pause: async (id: string) => (await api.graphql(PAUSE, { id })).pauseJob,
    go: async (id: string) => (await api.graphql(CONTINUE, { id })).continueJob,
    settled: (id: string) => until(async () => (await count(id, 'processing')) === 0),
    paused: (id: string, pauseReason: string) => until(async () => (await state(id)).pauseReason === pauseReason),
  };
}

test('a pause lets running items complete, and the rest waits until the job continues', async () => {
  const { begin, release, pause, go, settled, count, end, api, slug, trace, balance } = await open();
  const before = await balance();
  const id = await begin(50);
  expect(await pause(id)).toEqual({ id, status: 'processing', paused: true, pauseReason: 'user' });
  await release();
  await settled(id);
  expect(await count(id, 'completed')).toBe(WIDTH);
  expect(before - (await balance())).toBe(WIDTH);
  const { body } = await api.post(`/api/${slug}/product-enrichment-jobs/get`);
  expect(body.data.jobs[0]).toMatchObject({ id, status: 'processing', processedCount: WIDTH });
  expect(body.data.jobs[0]).not.toHaveProperty('pauseReason');
  expect(await go(id)).toEqual({ id, status: 'processing', paused: false, pauseReason: null });
  expect(await end(id)).toMatchObject({ status: 'completed', successCount: 50 });
  expect(await trace(id)).toEqual({ items: 50, ended: 50, history: 50, charges: 50, refunds: 0, shown: 50, shownOnce: 50 });
});

test('of several pauses at once one succeeds, and so does one of several continuations', async () => {
  const { begin, release, state, end, api } = await open();
  const id = await begin(30);
  const atOnce = async (mutation: string) => {
    const answers = await Promise.allSettled([1, 2, 3].map(() => api.graphql(mutation, { id })));
    return answers.filter(({ status }) => status === 'fulfilled').length;
  };
  expect(await atOnce(PAUSE)).toBe(1);
  expect(await api.refusal(PAUSE, { id })).toEqual({
    code: 'UNPROCESSABLE',
    message: 'Job cannot be paused because it is already paused',
  });
  expect(await atOnce(CONTINUE)).toBe(1);
  // Signals of pauses that are over may reach a later run of the workflow.
  for (let times = 0; times < 4; times += 1) {
    await api.graphql(PAUSE, { id });
    await api.graphql(CONTINUE, { id });
  }
  await release();
  expect(await end(id)).toMatchObject({ status: 'completed', successCount: 30 });
  expect(await state(id)).toMatchObject({ paused: false, pauseReason: null });
});

test('a job that has ended and a job of another organization are not paused', async () => {
  const { begin, release, end, api } = await open();
  const { api: stranger } = await seedCatalog();
  const id = await begin(1);
  const unknown = { code: 'NOT_FOUND', message: 'Job not found' };
  expect(await stranger.refusal(PAUSE, { id })).toEqual(unknown);
  expect(await api.refusal(PAUSE, { id: 'no-id' })).toEqual(unknown);
  await release();
  await end(id);
  expect(await api.refusal(PAUSE, { id })).toEqual({
    code: 'NOT_IN_PROGRESS',
    message: 'Job cannot be paused because it is not in progress',
  });
});

test('a job that a user paused can be stopped while its items run', async () => {
  const { begin, release, pause, stop, end, state, trace } = await open();
  const id = await begin(30);
  await pause(id);
  await stop(id);
  expect(await state(id)).toEqual({ id, status: 'stopped', paused: false, pauseReason: null });
  await release();
  expect(await end(id)).toMatchObject({ status: 'stopped', successCount: WIDTH, failedCount: 10 });
  expect(await trace(id)).toMatchObject({ charges: WIDTH, refunds: 0, shownOnce: 30 });
});

test('limits stay in force after a user continues the job, and end after a pause at a limit', async () => {
  const { begin, release, pause, go, paused, settled, count, end, balance } = await open();
  const before = await balance();
  const id = await begin(40, { sample: 25, maxCredits: 30 });
  await pause(id);
  await go(id);
  await release();
  await paused(id, 'sample');
  await settled(id);
  expect(await count(id, 'completed')).toBe(25);
  await go(id);
  expect(await end(id)).toMatchObject({ status: 'completed', successCount: 40 });
  expect(before - (await balance())).toBe(40);
});

test('a credit limit survives a pause', async () => {
  const { begin, release, pause, go, paused, settled, balance } = await open();
  const before = await balance();
  const id = await begin(40, { maxCredits: 30 });
  await pause(id);
  await release();
  await settled(id);
  await go(id);
  await paused(id, 'credits');
  await settled(id);
  expect(before - (await balance())).toBe(30);
});
