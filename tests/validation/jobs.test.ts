import { anId, aTime, invalid, notFound, ok, refused, unknownId } from '../catalog/catalog.ts';
import { openValidation, value } from './validation.ts';

const product = { attributes: { color: value('text', 'red') }, userProvidedRawDataSources: ['Color: red'] };

test('creating, listing and reading items return exactly the documented fields', async () => {
  const { addProducts, post, end } = await openValidation();
  const [productId] = await addProducts([product]);
  const created = await post('/create', { productIds: [productId, productId], modelType: 'pro-v1', extractImages: true });
  const head = { status: 'pending', totalProducts: 1, modelType: 'pro-v1', extractImages: true, createdAt: aTime };
  expect(created).toEqual(ok({ jobId: anId, ...head }));
  const { id } = await end(created.body.data.jobId);
  const counts = { totalProducts: 1, processedCount: 1, successCount: 1, failedCount: 0 };
  const job = { id, status: 'completed', modelType: 'pro-v1', ...counts, createdAt: aTime, completedAt: aTime };
  const pagination = { page: 1, limit: 10, total: 1, totalPages: 1 };
  expect(await post('/get')).toEqual(ok({ jobs: [job], pagination }));
  const item = { id: anId, jobId: id, productId, status: 'completed', startedAt: aTime, completedAt: aTime, errorMessage: null };
  const results = { validationResults: { color: expect.any(Object) }, overallScore: 95 };
  expect(await post(`/${id}/items/get`)).toEqual(
    ok({ items: [{ ...item, ...results }], pagination: { ...pagination, limit: 20 } }),
  );
  expect(await post(`/${id}/stop`)).toEqual(refused(400, 'Job cannot be stopped because it is not in progress'));
});

test('a stopped validation is reported as stopped', async () => {
  const { addProducts, post } = await openValidation();
  const ids = await addProducts(
    Array.from({ length: 30 }, () => ({ ...product, userProvidedRawDataSources: ['[[provider: slow 500]]'] })),
  );
  const { jobId } = (await post('/create', { productIds: ids, modelType: 'budget-v1' })).body.data;
  const { body } = await post(`/${jobId}/stop`);
  expect(body).toEqual({ success: true, message: 'Validation job stopped successfully', data: { jobId, status: 'stopped' } });
  expect(await post(`/${unknownId}/stop`)).toEqual(refused(404, 'Job not found'));
});

test('bad input, unknown products and an empty balance are rejected', async () => {
  const { post, addProducts } = await openValidation({ credits: 0 });
  const ids = await addProducts([product]);
  expect(await post('/create', { productIds: ids, modelType: 'budget-v1' })).toEqual(
    refused(402, 'Credit limit reached. Please top up your credits to start a new enrichment job.'),
  );
  const rich = await openValidation();
  expect(await rich.post('/create', { productIds: [], modelType: 'budget-v1' })).toEqual(
    invalid('productIds must have at least 1 entry'),
  );
  expect(await rich.post('/create', { productIds: Array(5_001).fill(unknownId), modelType: 'budget-v1' })).toEqual(
    invalid('productIds must have at most 5000 entries'),
  );
  expect(await rich.post('/create', { productIds: [unknownId], modelType: 'budget-v1' })).toEqual({
    ...notFound,
    body: { ...notFound.body, missingIds: [unknownId] },
  });
});
