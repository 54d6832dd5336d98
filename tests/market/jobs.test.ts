import { randomUUID } from 'node:crypto';
import { anId, aTime, invalid, notFound, ok, refused, unknownId } from '../catalog/catalog.ts';
import { openMarket } from './market.ts';

test('without web search items fail with a reason and at no charge', async () => {
  const { addProducts, analyse, balance } = await openMarket();
  const ids = await addProducts([{}]);
  const before = await balance();
  const { job, items } = await analyse(ids);
  expect(job.status).toBe('completed_with_errors');
  expect(items[0]).toMatchObject({
    status: 'failed',
    errorMessage: 'Web search is not available.',
    results: [],
  });
  expect(await balance()).toBe(before);
});

test('creating and listing return exactly the documented fields', async () => {
  const { addProducts, post, jobWhen } = await openMarket();
  const ids = await addProducts([{}, {}]);
  const created = await post('/create', { productIds: [...ids, ids[0]], modelType: 'pro-v1' });
  expect(created).toEqual(ok({ jobId: anId, status: 'pending', totalProducts: 2, modelType: 'pro-v1', createdAt: aTime }));
  const { id } = await jobWhen(created.body.data.jobId, ({ status }) => status === 'completed_with_errors');
  const counts = { totalProducts: 2, processedCount: 2, successCount: 0, failedCount: 2 };
  const job = { id, status: 'completed_with_errors', modelType: 'pro-v1', ...counts, createdAt: aTime, completedAt: aTime };
  expect(await post('/get')).toEqual(ok({ jobs: [job], pagination: { page: 1, limit: 10, total: 1, totalPages: 1 } }));
});

test('items come by limit and offset, fifty at a time, without a pagination object', async () => {
  const { addProducts, post } = await openMarket();
  const ids = await addProducts(Array.from({ length: 60 }, () => ({})));
  const { jobId } = (await post('/create', { productIds: ids, modelType: 'budget-v1' })).body.data;
  const page = async (body: object) => {
    const { data } = (await post(`/${jobId}/items/get`, body)).body;
    expect(Object.keys(data)).toEqual(['items']);
    return data.items.map(({ productId }: { productId: string }) => productId);
  };
  expect(await page({})).toEqual(ids.slice(0, 50));
  expect(await page({ offset: 50 })).toEqual(ids.slice(50));
  expect(await page({ limit: 3, offset: 7 })).toEqual(ids.slice(7, 10));
  expect(await page({ offset: 60 })).toEqual([]);
  expect(await post(`/${jobId}/items/get`, { limit: 101 })).toEqual(invalid('limit must be at most 100'));
  expect(await post(`/${jobId}/items/get`, { offset: -1 })).toEqual(invalid('offset must be at least 0'));
  expect(await post(`/${unknownId}/items/get`)).toEqual(refused(404, 'Job not found'));
});

test('a job has at least one product and no fixed maximum', async () => {
  const { addProducts, post } = await openMarket();
  const ids = (await Promise.all(Array.from({ length: 6 }, () => addProducts(Array.from({ length: 1_000 }, () => ({})))))).flat();
  const { body } = await post('/create', { productIds: ids, modelType: 'budget-v1' });
  expect(body.data.totalProducts).toBe(6_000);
  const stopped = await post(`/${body.data.jobId}/stop`);
  expect(stopped).toEqual({
    status: 200,
    body: {
      success: true,
      message: 'Market Analysis job stopped successfully',
      data: { jobId: body.data.jobId, status: 'stopped' },
    },
  });
  expect(await post(`/${body.data.jobId}/stop`)).toEqual(refused(400, 'Job cannot be stopped because it is not in progress'));
  expect(await post('/create', { productIds: [], modelType: 'budget-v1' })).toEqual(
    invalid('productIds must have at least 1 entry'),
  );
});

test('unknown products are named, and without credits no job is made', async () => {
  const { addProducts, post } = await openMarket({ credits: 0 });
  const ids = await addProducts([{}]);
  expect(await post('/create', { productIds: ids, modelType: 'budget-v1' })).toEqual(
    refused(402, 'Credit limit reached. Please top up your credits to start a new enrichment job.'),
  );
  const rich = await openMarket();
  expect(await rich.post('/create', { productIds: [unknownId], modelType: 'budget-v1' })).toEqual({
    ...notFound,
    body: { ...notFound.body, missingIds: [unknownId] },
  });
  // More ids than a statement may have parameters.
  const many = Array.from({ length: 70_000 }, () => randomUUID());
  const { status, body } = await rich.post('/create', { productIds: many, modelType: 'budget-v1' });
  expect({ status, missing: body.missingIds.length }).toEqual({ status: 404, missing: 5_000 });
});
