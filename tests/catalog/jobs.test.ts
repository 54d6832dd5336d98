import { anId, aTime, type Catalog, invalid, notFound, ok, openCatalog, refused, unknownId } from './catalog.ts';
import { createProducts, ended, startJob } from './enrichment.ts';

let catalog: Catalog;
let ids: string[];
beforeAll(async () => {
  catalog = await openCatalog();
  ids = await createProducts(catalog, 3);
});

const create = (body: object) => catalog.post('/product-enrichment-jobs/create', { modelType: 'budget-v1', ...body });
const list = async (body = {}) => (await catalog.post('/product-enrichment-jobs/get', body)).body.data;

test('creating a job returns exactly the documented fields', async () => {
  const answer = await create({ productIds: ids });
  expect(answer).toEqual(ok({ jobId: anId, status: 'pending', totalProducts: 3, modelType: 'budget-v1', createdAt: aTime }));
  await ended(catalog, answer.body.data.jobId);
});

test('a listed job has exactly the documented fields; absent options have defaults', async () => {
  const jobId = (await create({ productIds: ids, modelType: 'pro-v1' })).body.data.jobId;
  await ended(catalog, jobId);
  const counts = { totalProducts: 3, processedCount: 3, successCount: 0, failedCount: 3 };
  const options = { modelType: 'pro-v1', websearch: true, extractImages: false };
  const job = { id: jobId, status: 'completed_with_errors', ...options, ...counts, createdAt: aTime, completedAt: aTime };
  expect((await list({ limit: 1 })).jobs).toEqual([job]);
  const { job: stored } = await catalog.graphql(
    'query ($id: ID!) { job(id: $id) { includeExistingAttributes attributeSetId attributeIds } }',
    { id: jobId },
  );
  expect(stored).toEqual({ includeExistingAttributes: true, attributeSetId: null, attributeIds: null });
});

test('sent options are stored', async () => {
  const jobId = await startJob(catalog, ids.slice(0, 1), {
    websearch: false,
    extractImages: true,
    includeExistingAttributes: false,
  });
  expect((await list({ limit: 1 })).jobs).toMatchObject([{ id: jobId, websearch: false, extractImages: true }]);
});

test('unknown products are named, and no job is created', async () => {
  const stranger = await (await openCatalog()).create({ sku: 'STRANGER' });
  const { total } = (await list()).pagination;
  const missingIds = [unknownId, 'no-id', stranger, ''];
  expect(await create({ productIds: [ids[0], ...missingIds] })).toEqual({ ...notFound, body: { ...notFound.body, missingIds } });
  expect((await list()).pagination.total).toBe(total);
});

test('a product named twice counts once', async () => {
  const [id] = ids as [string];
  expect((await create({ productIds: [id, id, id.toUpperCase()] })).body.data.totalProducts).toBe(1);
});

test.each([
  [{ productIds: [] }, 'productIds must have at least 1 entry'],
  [{}, 'productIds is required'],
  [{ productIds: Array(5_001).fill(unknownId) }, 'productIds must have at most 5000 entries'],
  [{ productIds: unknownId }, 'productIds must be an array'],
  [{ productIds: [7] }, 'productIds[0] must be a string'],
  [{ productIds: [unknownId], modelType: 'budget' }, 'modelType must be one of budget-v1, pro-v1'],
  [{ productIds: [unknownId], modelType: undefined }, 'modelType is required'],
  [{ productIds: [unknownId], websearch: null }, 'websearch must not be null'],
  [{ productIds: [unknownId], websearch: 'yes' }, expect.stringContaining('websearch')],
])('%.60j is rejected', async (body, fault) => {
  const answer = await create(body);
  expect(answer).toEqual(typeof fault === 'string' ? invalid(fault) : { status: 400, body: { success: false, message: fault } });
});

test('one job accepts 5,000 products', async () => {
  const large = await openCatalog();
  const products = await createProducts(large, 5_000);
  const jobId = await startJob(large, products);
  const { body } = await large.post(`/product-enrichment-jobs/${jobId}/stop`);
  expect(body.data).toEqual({ jobId, status: 'stopped' });
});

test('without credits no job is created', async () => {
  const poor = await openCatalog({ credits: 0 });
  const id = await poor.create({ sku: 'A' });
  const answer = await poor.post('/product-enrichment-jobs/create', { productIds: [id], modelType: 'budget-v1' });
  expect(answer).toEqual(refused(402, 'Credit limit reached. Please top up your credits to start a new enrichment job.'));
  expect((await poor.post('/product-enrichment-jobs/get')).body.data.pagination.total).toBe(0);
});

test('an unknown attribute set or attribute is 404', async () => {
  expect(await create({ productIds: ids, attributeSetId: unknownId })).toEqual(refused(404, 'Attribute set not found'));
  expect(await create({ productIds: ids, attributeSetId: '' })).toEqual(refused(404, 'Attribute set not found'));
  expect(await create({ productIds: ids, attributeIds: ['no-id'] })).toEqual(
    refused(404, 'Attribute not found', { missingIds: ['no-id'] }),
  );
});

test('jobs are listed newest first, ten a page', async () => {
  const own = await openCatalog();
  const products = await createProducts(own, 1);
  const jobs: string[] = [];
  for (let n = 0; n < 12; n++) jobs.unshift(await startJob(own, products));
  const page = async (body: object) => (await own.post('/product-enrichment-jobs/get', body)).body.data;
  const first = await page({});
  expect(first.pagination).toEqual({ page: 1, limit: 10, total: 12, totalPages: 2 });
  const all = [first, await page({ page: 2 })].flatMap((each) => each.jobs.map(({ id }: { id: string }) => id));
  expect(all).toEqual(jobs);
  expect(await own.post('/product-enrichment-jobs/get', { limit: 101 })).toEqual(invalid('limit must be at most 100'));
  expect(await own.post('/product-enrichment-jobs/get', { page: 0 })).toEqual(invalid('page must be at least 1'));
});
