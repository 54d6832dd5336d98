import { randomUUID } from 'node:crypto';
import { seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';

const RETRY = 'mutation ($jobId: ID!) { retryFailedItems(jobId: $jobId) { id totalCount } }';
const RERUN = 'mutation ($jobId: ID!) { rerunJob(jobId: $jobId, modelType: "pro-v1") { id totalCount modelType } }';

/** Replace the sources of a product. */
async function write({ api, product }: Awaited<ReturnType<typeof seedCatalog>>, id: string, sources: string[]) {
  const input = { ...(await product(id, 'sku name')), userProvidedRawDataSources: sources };
  await api.graphql('mutation ($id: ID!, $input: ProductChange!) { updateProduct(id: $id, input: $input) { id } }', { id, input });
}

test('a retry processes only failed items', async () => {
  const catalog = await seedCatalog();
  const { api, addProducts, enrich, end, items, product } = catalog;
  const [good, bad] = await addProducts([{ userProvidedRawDataSources: ['Color: red'] }, {}]);
  const first = await enrich([good!, bad!]);
  expect(first.job).toMatchObject({ status: 'completed_with_errors', failedCount: 1 });
  await write(catalog, bad!, ['Color: green']);
  const { retryFailedItems } = await api.graphql(RETRY, { jobId: first.job.id });
  expect(retryFailedItems.totalCount).toBe(1);
  expect(await end(retryFailedItems.id)).toMatchObject({ status: 'completed', successCount: 1 });
  expect((await items(retryFailedItems.id)).map(({ productId }: { productId: string }) => productId)).toEqual([bad]);
  expect((await product(bad!)).attributes.color.value).toBe('green');
  expect(await api.refusal(RETRY, { jobId: retryFailedItems.id })).toMatchObject({ code: 'UNPROCESSABLE' });
});

test('concurrent retries start one job', async () => {
  const catalog = await seedCatalog();
  const { api, addProducts, enrich, end } = catalog;
  const [bad] = await addProducts([{}]);
  const { job } = await enrich([bad!]);
  const gate = randomUUID();
  await write(catalog, bad!, [`Color: red\n[[provider: gate 0 ${gate}]]`]);
  const retry = () => api.post('/graphql', { query: RETRY, variables: { jobId: job.id } });
  const answers = await Promise.all([retry(), retry(), retry(), retry()]);
  const [id, ...others] = answers.flatMap(({ body }) => body.data?.retryFailedItems?.id ?? []);
  expect(others).toEqual([]);
  expect(answers.flatMap(({ body }) => body.errors?.[0]?.extensions.code ?? [])).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT']);
  await fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER));
  expect(await end(id)).toMatchObject({ status: 'completed', successCount: 1 });
});

test('a re-run with the other tier uses the stored sources', async () => {
  const catalog = await seedCatalog();
  const { api, id: organizationId, addProducts, enrich, end, items } = catalog;
  const sources = ['Color: red'];
  const ids = await addProducts([{ userProvidedRawDataSources: sources }, { userProvidedRawDataSources: sources }]);
  const first = await enrich(ids);
  for (const id of ids) await write(catalog, id, ['Color: green']);
  const { rerunJob } = await api.graphql(RERUN, { jobId: first.job.id });
  expect(rerunJob).toMatchObject({ totalCount: 2, modelType: 'pro-v1' });
  expect(await end(rerunJob.id)).toMatchObject({ status: 'completed', successCount: 2 });
  for (const { enrichedData, cost } of await items(rerunJob.id)) {
    expect(enrichedData.color.value).toBe('red');
    expect(cost).toBe(5);
  }
  // The common text of both products is stored once.
  const { rows } = await database().query('select text from catalog.source_texts where organization_id = $1', [organizationId]);
  expect(rows.filter(({ text }) => text === 'Color: red')).toHaveLength(1);
});

test('an unfinished or foreign job cannot be re-run', async () => {
  const { api, addColored, start, end } = await seedCatalog();
  const id = await start(await addColored(1, '[[provider: slow 1500]]'));
  for (const mutation of [RETRY, RERUN])
    expect(await api.refusal(mutation, { jobId: id })).toMatchObject({ code: 'UNPROCESSABLE' });
  const { api: stranger } = await seedCatalog();
  for (const mutation of [RETRY, RERUN])
    expect(await stranger.refusal(mutation, { jobId: id })).toMatchObject({ code: 'NOT_FOUND' });
  await end(id);
});
