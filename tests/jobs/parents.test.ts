import { color, originOf, seedCatalog, weight } from '../support/enrichment.ts';
import { markedName } from '../support/marked-name.ts';

const attributes = [
  color,
  weight,
  { slug: 'sizes', name: 'Sizes', type: 'multiselect' },
  { slug: 'released', name: 'Released', type: 'date' },
  { slug: 'washable', name: 'Washable', type: 'boolean' },
];
const value = (attributeType: string, given: unknown) => ({ attributeId: null, attributeName: 'x', attributeType, value: given });

/** A parent with variants that have the given attributes. */
async function seedGroup(variants: object[], credits?: number, name = 'Lamp') {
  const catalog = await seedCatalog(attributes, { credits });
  const [parent] = await catalog.addProducts([
    { sku: 'GROUP', name, isParent: true, userProvidedRawDataSources: ['Color: purple'] },
  ]);
  if (variants.length > 0)
    await catalog.addProducts(variants.map((given, n) => ({ sku: `V${n}`, name, parentId: parent, attributes: given })));
  return { ...catalog, parent: parent! };
}

test('a parent gets what its variants have in common, ranges, and combined values', async () => {
  const { parent, enrich, product } = await seedGroup([
    {
      color: value('text', 'red'),
      weight: value('number', 1.8),
      sizes: value('multiselect', ['S', 'M']),
      washable: value('boolean', true),
      released: value('date', '2024-05-01'),
    },
    {
      color: value('text', 'blue'),
      weight: value('number', 1.2),
      sizes: value('multiselect', ['M', 'L']),
      washable: value('boolean', true),
      released: value('date', '2024-05-01'),
    },
  ]);
  const { job, items } = await enrich([parent]);
  expect(job.status).toBe('completed');
  expect(items[0].enrichedData).toMatchObject({
    color: { attributeType: 'multiselect', value: ['red', 'blue'] },
    weight: { attributeType: 'text', value: '1.2–1.8 kg' },
    sizes: { attributeType: 'multiselect', value: ['S', 'M', 'L'] },
    released: { attributeType: 'date', value: '2024-05-01' },
    washable: { attributeType: 'boolean', value: true },
  });
  const { provenance, enriched } = await product(parent);
  expect(enriched).toBe(true);
  expect(originOf(provenance, 'color')).toMatchObject({
    model: 'variants',
    sourceKind: 'variants',
    snippet: 'V0, V1',
    confidence: 100,
  });
});

test('contradictory booleans stay null, and a variant without a value lowers the confidence', async () => {
  const { parent, enrich } = await seedGroup([
    { washable: value('boolean', true), weight: value('number', 2) },
    { washable: value('boolean', false) },
  ]);
  const { items } = await enrich([parent]);
  expect(items[0].enrichedData).toMatchObject({ washable: { value: null }, weight: { value: 2, attributeType: 'number' } });
  expect(originOf(items[0].provenance, 'weight')).toMatchObject({ confidence: 50 });
});

test('a parent without enriched variants fails, regardless of its own texts', async () => {
  const { parent, enrich } = await seedGroup([{}, {}]);
  const { job, items } = await enrich([parent]);
  expect(job).toMatchObject({ status: 'completed_with_errors', failedCount: 1 });
  expect(items[0]).toMatchObject({ status: 'failed', errorMessage: 'Insufficient product data' });
});

test('a parent without variants fails', async () => {
  const { parent, enrich } = await seedGroup([]);
  expect((await enrich([parent])).items[0].errorMessage).toBe('Insufficient product data');
});

test('values of the parent fill gaps of its variants, if the job includes existing attributes', async () => {
  const { addProducts, enrich, product } = await seedCatalog(attributes);
  const own = { color: value('text', 'purple'), washable: value('boolean', true) };
  const [parent] = await addProducts([{ isParent: true, attributes: own }]);
  await addProducts([{ parentId: parent, attributes: { color: value('text', 'red') } }]);
  const told = async (includeExistingAttributes: boolean) => {
    const { color, washable } = (await enrich([parent!], { includeExistingAttributes })).items[0].enrichedData;
    return [color.value, washable.value];
  };
  expect(await told(false)).toEqual(['red', null]);
  expect(await told(true)).toEqual(['red', true]);
  const { attributes: now, provenance } = await product(parent!);
  expect([now.color.value, now.washable]).toEqual(['red', own.washable]);
  expect(provenance).toMatchObject([{ slug: 'color' }]);
});

test('a parent costs less and needs no model, web search or images', async () => {
  const { name, asked } = markedName();
  const { parent, enrich, balance, addProducts } = await seedGroup([{ color: value('text', 'red') }], 10, name);
  const { items } = await enrich([parent], { websearch: true, extractImages: true, modelType: 'pro-v1' });
  expect(items[0]).toMatchObject({ status: 'completed', cost: 0.5, enrichedData: { color: { value: 'red' } } });
  expect(await balance()).toBe(9.5);
  expect(await asked()).toBe(0);

  await enrich(await addProducts([{ name, userProvidedRawDataSources: ['Color: red'] }]));
  expect(await asked()).toBeGreaterThan(0);
});

test('an item that would write more values than a product may have fails', async () => {
  const { addProducts, enrich, product } = await seedCatalog([{ slug: 'notes', name: 'Notes', type: 'text' }]);
  const [parent] = await addProducts([{ isParent: true }]);
  const notes = (at: number) => ({ attributeName: 'Notes', attributeType: 'text', value: `${at} ${'x'.repeat(90_000)}` });
  await addProducts(Array.from({ length: 12 }, (_, at) => ({ parentId: parent, attributes: { notes: notes(at) } })));
  const { items } = await enrich([parent!]);
  expect(items).toMatchObject([
    { status: 'failed', errorMessage: 'The product would have more than 1000000 bytes of attribute values' },
  ]);
  expect((await product(parent!)).attributes).toEqual({});
});
