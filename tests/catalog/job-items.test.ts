import { anId, aTime, type Catalog, invalid, ok, openCatalog, refused, unknownId } from './catalog.ts';
import { createAttribute, createProducts, ended, startJob } from './enrichment.ts';

let catalog: Catalog;
let ids: string[];
let jobId: string;
let attributeId: string;
beforeAll(async () => {
  catalog = await openCatalog();
  attributeId = await createAttribute(catalog);
  ids = await createProducts(catalog, 1, { userProvidedRawDataSources: ['Colour: Red'] });
  jobId = await startJob(catalog, ids);
});

const items = (id: string, body?: object) => catalog.post(`/product-enrichment-jobs/${id}/items/get`, body);

test('a completed item has its findings with exactly the documented fields', async () => {
  expect(await ended(catalog, jobId)).toBe('completed');
  const value = { attributeId, attributeName: 'Colour', attributeType: 'text', value: 'Red' };
  const item = {
    id: anId,
    jobId,
    productId: ids[0],
    status: 'completed',
    startedAt: aTime,
    completedAt: aTime,
    errorMessage: null,
  };
  const pagination = { page: 1, limit: 20, total: 1, totalPages: 1 };
  expect(await items(jobId)).toEqual(ok({ items: [{ ...item, enrichedData: { colour: value } }], pagination }));
});

test('a failed item has a reason and no data', async () => {
  const parent = await catalog.create({ sku: 'LONELY', isParent: true });
  const failed = await startJob(catalog, [parent]);
  expect(await ended(catalog, failed)).toBe('completed_with_errors');
  const item = { id: anId, jobId: failed, productId: parent, status: 'failed', startedAt: aTime, completedAt: aTime };
  expect((await items(failed)).body.data.items).toEqual([{ ...item, errorMessage: 'Insufficient product data' }]);
});

test('items come in the order of the request, twenty a page', async () => {
  const parents = await Promise.all(Array.from({ length: 23 }, (_, n) => catalog.create({ sku: `F${n}`, isParent: true })));
  const long = await startJob(catalog, parents.toReversed());
  const pages = [(await items(long)).body.data, (await items(long, { page: 2 })).body.data];
  expect(pages[0].pagination).toEqual({ page: 1, limit: 20, total: 23, totalPages: 2 });
  expect(pages.flatMap((page) => page.items.map((item: { productId: string }) => item.productId))).toEqual(parents.toReversed());
  expect((await items(long, { page: 3 })).body.data.items).toEqual([]);
  expect((await items(long, { limit: 100 })).body.data.items).toHaveLength(23);
});

test.each([
  [{ page: 0 }, 'page must be at least 1'],
  [{ limit: 101 }, 'limit must be at most 100'],
  [{ limit: 0 }, 'limit must be at least 1'],
])('%j is rejected', async (body, fault) => {
  expect(await items(jobId, body)).toEqual(invalid(fault));
});

test.each(['items/get', 'stop'])('%s of an unknown job is 404', async (action) => {
  const other = await openCatalog();
  for (const id of [unknownId, 'no-id']) {
    expect(await catalog.post(`/product-enrichment-jobs/${id}/${action}`)).toEqual(refused(404, 'Job not found'));
  }
  expect(await other.post(`/product-enrichment-jobs/${jobId}/${action}`)).toEqual(refused(404, 'Job not found'));
});

test('an enriched product is listed as enriched and has a history entry', async () => {
  const list = async (enrichedFilter: string) => (await catalog.post('/products/get', { enrichedFilter, limit: 100 })).body.data;
  const enriched = await list('enriched');
  expect(enriched.products.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
  expect(enriched.pagination.total).toBe(1);
  const rest = (await list('not-enriched')).products.map(({ id }: { id: string }) => id);
  expect(rest).not.toContain(ids[0]);
  const value = { attributeId, attributeName: 'Colour', attributeType: 'text', value: 'Red' };
  const entry = { id: anId, productId: ids[0], enrichedAt: aTime, attributes: { colour: value } };
  const pagination = { page: 1, limit: 10, total: 1, totalPages: 1 };
  expect(await catalog.post(`/products/${ids[0]}/enrichment-history`)).toEqual(ok({ history: [entry], pagination }));
});
