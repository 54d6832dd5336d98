import { createHash } from 'node:crypto';
import { color, originOf, seedCatalog, weight } from '../support/enrichment.ts';

const text = 'Color: red\nWeight: 2 kg';

test('an enrichment leaves a history entry, the origin of each value, and the enriched mark', async () => {
  const { addProducts, enrich, product, api, slug } = await seedCatalog([color, weight]);
  const [id, other] = await addProducts([{ userProvidedRawDataSources: [text] }, {}]);
  const { job, items } = await enrich([id!]);

  const { enriched, provenance } = await product(id!);
  expect(enriched).toBe(true);
  expect(provenance).toEqual(items[0].provenance);
  expect(originOf(provenance, 'weight')).toEqual({
    slug: 'weight',
    jobId: job.id,
    itemId: items[0].id,
    model: 'offline-model',
    confidence: 95,
    sourceKind: 'text',
    sourceUrl: null,
    snippet: 'Weight: 2 kg',
    contentHash: createHash('sha256').update(text).digest('hex'),
    at: expect.any(String),
  });

  const { body } = await api.post(`/api/${slug}/products/${id}/enrichment-history`);
  expect(body.data.history).toEqual([
    { id: expect.any(String), productId: id, enrichedAt: expect.any(String), attributes: items[0].enrichedData },
  ]);
  const listed = async (enrichedFilter: string) =>
    (await api.post(`/api/${slug}/products/get`, { enrichedFilter })).body.data.products.map((each: { id: string }) => each.id);
  expect(await listed('enriched')).toEqual([id]);
  expect(await listed('not-enriched')).toEqual([other]);
});

test('the documented items carry the five fields of a value and no more', async () => {
  const { addColored, enrich, api, slug, attributeIds } = await seedCatalog();
  const [id] = await addColored(1);
  const { job } = await enrich([id!]);
  const { body } = await api.post(`/api/${slug}/product-enrichment-jobs/${job.id}/items/get`);
  expect(body.data.items).toEqual([
    {
      id: expect.any(String),
      jobId: job.id,
      productId: id,
      status: 'completed',
      startedAt: expect.any(String),
      completedAt: expect.any(String),
      errorMessage: null,
      enrichedData: { color: { attributeId: attributeIds.color, attributeName: 'Color', attributeType: 'text', value: 'red' } },
    },
  ]);
});

test('a second enrichment adds a second history entry, newest first', async () => {
  const { addColored, enrich, api } = await seedCatalog();
  const ids = await addColored(1);
  const first = await enrich(ids);
  const second = await enrich(ids);
  const query = 'query ($id: ID!) { enrichmentHistory(productId: $id) { nodes { jobItemId provenance { itemId } } } }';
  const { enrichmentHistory } = await api.graphql(query, { id: ids[0] });
  expect(enrichmentHistory.nodes).toEqual(
    [second, first].map(({ items: [item] }) => ({ jobItemId: item.id, provenance: [{ itemId: item.id }] })),
  );
});

test('a job fills the attributes of its set, or only the named ones, and never inactive ones', async () => {
  const { addProducts, enrich, api, attributeIds } = await seedCatalog([
    color,
    weight,
    { slug: 'size', name: 'Size', type: 'text', isActive: false },
  ]);
  const ids = await addProducts([{ userProvidedRawDataSources: [`${text}\nSize: L`] }]);
  const made = await api.graphql(
    'mutation ($name: String!, $ids: [ID!]!) { createAttributeSet(name: $name, attributeIds: $ids) { id } }',
    {
      name: 'Weights',
      ids: [attributeIds.weight, attributeIds.size],
    },
  );
  const filled = async (options: object) => Object.keys((await enrich(ids, { ...options })).items[0].enrichedData).sort();
  expect(await filled({})).toEqual(['color', 'weight']);
  expect(await filled({ attributeSetId: made.createAttributeSet.id })).toEqual(['weight']);
  expect(await filled({ attributeIds: [attributeIds.color, attributeIds.size] })).toEqual(['color']);
});

test('a job over inactive attributes alone completes with an error on each item', async () => {
  const { addColored, enrich } = await seedCatalog([{ ...color, isActive: false }]);
  const { job, items } = await enrich(await addColored(1));
  expect(job.status).toBe('completed_with_errors');
  expect(items[0].errorMessage).toBe('There are no active attributes to fill in');
});

test('unknown products, sets and attributes start no job', async () => {
  const { addColored, api } = await seedCatalog();
  const [id] = await addColored(1);
  const unknown = '0199a000-0000-7000-8000-000000000000';
  const refusal = (input: object) =>
    api.refusal('mutation ($input: NewProductEnrichmentJob!) { createProductEnrichmentJob(input: $input) { id } }', {
      input: { productIds: [id], modelType: 'budget-v1', ...input },
    });
  expect(await refusal({ productIds: [id, unknown] })).toEqual({ code: 'NOT_FOUND', message: 'Product not found' });
  expect(await refusal({ attributeSetId: unknown })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await refusal({ attributeIds: [unknown] })).toMatchObject({ code: 'NOT_FOUND' });
  expect((await api.graphql('{ jobs(kind: "product-enrichment") { pagination { total } } }')).jobs.pagination.total).toBe(0);
});

test('a product named twice is one item, regardless of the case of its id', async () => {
  const { addColored, enrich } = await seedCatalog();
  const [id] = await addColored(1);
  const { job, items } = await enrich([id!, id!.toUpperCase(), id!]);
  expect(job.totalCount).toBe(1);
  expect(items).toHaveLength(1);
});

test('items keep the order of the request', async () => {
  const { addColored, enrich } = await seedCatalog();
  const ids = (await addColored(30)).reverse();
  const { items } = await enrich(ids);
  expect(items.map(({ productId }: { productId: string }) => productId)).toEqual(ids);
});

test('a product that is deleted before its turn fails alone and costs nothing', async () => {
  const { addColored, start, end, items, api, balance } = await seedCatalog([color], { credits: 100 });
  const slow = await addColored(20, '[[provider: slow 500]]');
  const [last] = await addColored(1);
  const jobId = await start([...slow, last!]);
  await api.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { deleted } }', { id: last });
  expect(await end(jobId)).toMatchObject({ status: 'completed_with_errors', successCount: 20, failedCount: 1 });
  expect((await items(jobId)).at(-1)).toMatchObject({
    productId: last,
    status: 'failed',
    errorMessage: 'Product not found',
    cost: 0,
  });
  expect(await balance()).toBe(80);
});
