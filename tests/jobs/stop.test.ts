import { bodiesOf } from '../support/deliveries.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';

const STOPPED = 'Job was stopped by user';

test('a stopped job finishes running items, keeps results and fails the rest', async () => {
  const { addColored, start, stop, jobWhen, end, items, trace } = await seedCatalog();
  const jobId = await start(await addColored(80, '[[provider: slow 300]]'));
  await jobWhen(jobId, ({ successCount }) => successCount > 0);
  const begun = (await items(jobId)).filter(({ status }: { status: string }) => status !== 'pending');
  expect((await stop(jobId)).stopJob).toEqual({ status: 'stopped' });
  const job = await end(jobId);
  expect(job).toMatchObject({ status: 'stopped', totalCount: 80, processedCount: 80, errorSummary: null });
  expect(job.successCount + job.failedCount).toBe(80);
  expect(job.failedCount).toBeGreaterThan(0);

  const all = await items(jobId);
  const completed = new Set(all.flatMap(({ id, status }: { id: string; status: string }) => (status === 'completed' ? id : [])));
  expect(begun.every(({ id }: { id: string }) => completed.has(id))).toBe(true);
  const failed = all.filter(({ status }: { status: string }) => status === 'failed');
  expect(failed).toHaveLength(job.failedCount);
  expect(
    failed.every(({ errorMessage, cost }: { errorMessage: string; cost: number }) => errorMessage === STOPPED && cost === 0),
  ).toBe(true);
  expect(await trace(jobId)).toEqual({
    items: 80,
    ended: 80,
    history: job.successCount,
    charges: job.successCount,
    refunds: 0,
    shown: 80,
    shownOnce: 80,
  });
});

test('stopping succeeds once; it fails for stopped, finished and unknown jobs', async () => {
  const { addColored, start, enrich, api, slug } = await seedCatalog();
  const ids = await addColored(1, '[[provider: slow 500]]');
  const jobId = await start(ids);
  const stop = (id: string) => api.post(`/api/${slug}/product-enrichment-jobs/${id}/stop`);
  expect(await stop(jobId)).toMatchObject({
    status: 200,
    body: { success: true, message: 'Enrichment job stopped successfully', data: { jobId, status: 'stopped' } },
  });
  const refused = { status: 400, body: { success: false, message: 'Job cannot be stopped because it is not in progress' } };
  expect(await stop(jobId)).toMatchObject(refused);
  expect(await stop((await enrich(ids)).job.id)).toMatchObject(refused);
  const unknown = { status: 404, body: { success: false, message: 'Job not found' } };
  expect(await stop('0199a000-0000-7000-8000-000000000000')).toMatchObject(unknown);
  expect(await stop('no-id')).toMatchObject(unknown);
});

test('a stop by an id in upper case has the event of the job', async () => {
  const { addColored, start, stop, id: organizationId } = await seedCatalog();
  await database().query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, events)
     values (gen_random_uuid(), $1, 'catalog', 'http://127.0.0.1:9', '{product_enrichment.stopped}')`,
    [organizationId],
  );
  const jobId = await start(await addColored(1, '[[provider: slow 100]]'));
  await stop(jobId.toUpperCase());
  const emitted = await bodiesOf(database(), 'd.organization_id = $1', [organizationId]);
  expect(emitted.map(({ payload }) => payload.id)).toEqual([jobId]);
});

test('one of two concurrent stops succeeds', async () => {
  const { addColored, start, end, api, slug } = await seedCatalog();
  const jobId = await start(await addColored(30, '[[provider: slow 200]]'));
  const answers = await Promise.all([1, 2, 3].map(() => api.post(`/api/${slug}/product-enrichment-jobs/${jobId}/stop`)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  expect(await end(jobId)).toMatchObject({ status: 'stopped', processedCount: 30 });
});

test('a job of another organization can be neither seen nor stopped', async () => {
  const { addColored, start, end } = await seedCatalog();
  const stranger = await seedCatalog();
  const jobId = await start(await addColored(1));
  expect(await stranger.api.refusal('mutation ($id: ID!) { stopJob(id: $id) { id } }', { id: jobId })).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await stranger.api.refusal('query ($id: ID!) { jobItems(jobId: $id) { nodes { id } } }', { id: jobId })).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await end(jobId)).toMatchObject({ status: 'completed' });
});
