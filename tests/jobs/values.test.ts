import { randomUUID } from 'node:crypto';
import { seedCatalog } from '../support/enrichment.ts';

const attributes = [
  { slug: 'material', name: 'Material', type: 'text' },
  { slug: 'description', name: 'Description', type: 'html' },
  { slug: 'weight', name: 'Weight', type: 'number', unit: 'kg' },
  { slug: 'released', name: 'Release date', type: 'date' },
  { slug: 'dishwasher-safe', name: 'Dishwasher safe', type: 'boolean' },
  { slug: 'color', name: 'Color', type: 'select', options: ['Red', 'Blue'] },
  { slug: 'sizes', name: 'Sizes', type: 'multiselect', options: ['S', 'M', 'L'] },
];
const sheet = `This kettle is made for people who like their tea in the morning.
Material: stainless steel
Weight: 850 g
Release date: 12 March 2024
Dishwasher safe: yes
Color: red
Sizes: S, L`;

test('every type of attribute is filled from a text', async () => {
  const { addProducts, enrich, product, attributeIds } = await seedCatalog(attributes);
  const [id] = await addProducts([{ userProvidedRawDataSources: [sheet] }]);
  const { job, items } = await enrich([id!]);
  expect(job).toMatchObject({
    status: 'completed',
    totalCount: 1,
    processedCount: 1,
    successCount: 1,
    failedCount: 0,
    errorSummary: null,
  });
  const values = Object.fromEntries(
    Object.entries<{ value: unknown }>(items[0].enrichedData).map(([slug, { value }]) => [slug, value]),
  );
  expect(values).toEqual({
    material: 'stainless steel',
    description: expect.stringMatching(/^<p>This kettle .*<\/p><ul><li>Material: stainless steel<\/li>/),
    weight: 0.85,
    released: '2024-03-12',
    'dishwasher-safe': true,
    color: 'Red',
    sizes: ['S', 'L'],
  });
  expect(items[0].enrichedData.weight).toEqual({
    attributeId: attributeIds.weight,
    attributeName: 'Weight',
    attributeType: 'number',
    value: 0.85,
  });
  expect((await product(id!)).attributes).toEqual(items[0].enrichedData);
});

test('a value outside the options is rejected', async () => {
  const { addProducts, enrich } = await seedCatalog([attributes[5]!, attributes[2]!]);
  const [id] = await addProducts([{ userProvidedRawDataSources: ['Color: turquoise\nWeight: 2 kg'] }]);
  const { items } = await enrich([id!]);
  expect(items[0].enrichedData).toMatchObject({ color: { value: null }, weight: { value: 2 } });
});

test('a value outside the constraints is rejected', async () => {
  const { addProducts, enrich } = await seedCatalog([
    { slug: 'weight', name: 'Weight', type: 'number', unit: 'kg', constraints: { max: 10 } },
    { slug: 'material', name: 'Material', type: 'text', constraints: { maxLength: 5 } },
    { slug: 'color', name: 'Color', type: 'text' },
  ]);
  const [id] = await addProducts([{ userProvidedRawDataSources: ['Weight: 12 kg\nMaterial: stainless steel\nColor: red'] }]);
  const { items } = await enrich([id!]);
  expect(items[0].enrichedData).toMatchObject({ weight: { value: null }, material: { value: null }, color: { value: 'red' } });
});

test('a product without source data fails with Insufficient product data and is not enriched', async () => {
  const { addProducts, enrich, product } = await seedCatalog();
  const [id] = await addProducts([{ userProvidedRawDataSources: ['n/a'] }]);
  const { job, items } = await enrich([id!]);
  const errorSummary = 'Insufficient product data';
  expect(job).toMatchObject({ status: 'completed_with_errors', successCount: 0, failedCount: 1, errorSummary });
  expect(items[0]).toMatchObject({ status: 'failed', errorMessage: 'Insufficient product data', enrichedData: null, cost: 0 });
  expect(await product(id!)).toEqual({ attributes: {}, provenance: [], enriched: false });
});

test('the error summary stays empty when items fail for different reasons', async () => {
  const { addProducts, enrich } = await seedCatalog();
  const products = [
    { userProvidedRawDataSources: ['n/a'] },
    { userProvidedRawDataSources: [`Color: red\n[[provider: 401 1 ${randomUUID()}]]`] },
  ];
  const { job } = await enrich(await addProducts(products));
  expect(job).toMatchObject({ status: 'completed_with_errors', failedCount: 2, errorSummary: null });
});

test('a missing finding does not erase an existing value', async () => {
  const { addProducts, enrich, product } = await seedCatalog([attributes[0]!, attributes[2]!]);
  const material = { attributeId: null, attributeName: 'Material', attributeType: 'text', value: 'oak' };
  const [id] = await addProducts([{ attributes: { material }, userProvidedRawDataSources: ['Weight: 3 kg'] }]);
  const { items } = await enrich([id!], { includeExistingAttributes: false });
  expect(items[0].enrichedData).toMatchObject({ material: { value: null }, weight: { value: 3 } });
  expect((await product(id!)).attributes).toMatchObject({ material, weight: { value: 3 } });
});

test('the model gets existing values only if the job requests it', async () => {
  const { addProducts, enrich } = await seedCatalog([attributes[0]!, attributes[2]!]);
  const material = { attributeId: null, attributeName: 'Material', attributeType: 'text', value: 'oak' };
  const ids = await addProducts([{ attributes: { material }, userProvidedRawDataSources: ['Weight: 3 kg'] }]);
  expect((await enrich(ids, { includeExistingAttributes: false })).items[0].enrichedData.material.value).toBeNull();
  expect((await enrich(ids, { includeExistingAttributes: true })).items[0].enrichedData.material.value).toBe('oak');
});

test('options that differ only in case match exactly', async () => {
  const { addProducts, enrich } = await seedCatalog([{ slug: 'color', name: 'Color', type: 'select', options: ['red', 'Red'] }]);
  const ids = await addProducts(['Red', 'red'].map((written) => ({ userProvidedRawDataSources: [`Color: ${written}`] })));
  const { items } = await enrich(ids);
  expect(items.map(({ enrichedData }: { enrichedData: { color: { value: string } } }) => enrichedData.color.value)).toEqual([
    'Red',
    'red',
  ]);
});
