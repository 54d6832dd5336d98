import { type OfflineModel, startOfflineModel } from '../../start/offline-model/offline-model.ts';
import { sampleProducts } from '../../start/sample/sample-catalog.ts';
import { checkValue } from '../../subgraphs/catalog/extraction/constraints.ts';
import { type Extraction, extractAttributes } from '../../subgraphs/catalog/extraction/extract-attributes.ts';
import { expected } from './expected.ts';
import { agrees, attributes, modelAt, sourcesOf } from './support/samples.ts';

let offline: OfflineModel;
const extractions = new Map<string, Extraction>();

beforeAll(async () => {
  offline = await startOfflineModel();
  const model = modelAt(offline.url);
  for (const product of sampleProducts) {
    const { sku, name, brand, category } = product;
    const sources = await sourcesOf(product, offline.pages);
    extractions.set(
      sku,
      await extractAttributes(model, { tier: 'budget-v1', attributes, product: { sku, name, brand, category }, sources }),
    );
  }
});
afterAll(() => offline.close());

test('the sample catalog is consistent', () => {
  const skus = sampleProducts.map(({ sku }) => sku);
  expect(new Set(skus).size).toBe(40);
  expect(new Set(sampleProducts.map(({ category }) => category)).size).toBe(4);
  expect(new Set(attributes.map(({ type }) => type)).size).toBe(7);
  const parents = sampleProducts.filter(({ isParent }) => isParent).map(({ sku }) => sku);
  expect(parents).toHaveLength(5);
  expect([...new Set(sampleProducts.flatMap(({ parentSku }) => parentSku ?? []))].sort()).toEqual([...parents].sort());
  for (const { page, userProvidedRawDataSources } of sampleProducts) expect(page ?? userProvidedRawDataSources[0]).toBeTruthy();
});

test.each(sampleProducts.map(({ sku }) => sku))('%s: every value is valid, and its source contains its quote', (sku) => {
  const { values, model, note, usage } = extractions.get(sku)!;
  expect({ model, note, requests: usage.requests }).toEqual({
    model: 'offline-model',
    note: expect.stringContaining('offline model'),
    requests: 1,
  });
  for (const attribute of attributes) {
    const { value, confidence, quote, sourceId } = values[attribute.slug]!;
    expect([attribute.slug, checkValue(attribute, value)]).toEqual([attribute.slug, null]);
    if (value === null) expect([confidence, quote, sourceId]).toEqual([0, null, null]);
    else expect([95, 80, 60].includes(confidence) && quote !== null && sourceId !== null).toBe(true);
  }
});

/** Values that only a language model can read. */
const beyondIt = ['FO-KET-WH material', 'FO-IND color', 'NS-KOK material', 'LL-RISE-160 material', 'LL-GARD color'];

test.each(sampleProducts.map(({ sku }) => sku))('%s: exactly the values that a reader finds', (sku) => {
  const { values } = extractions.get(sku)!;
  const wrong = attributes
    .filter(({ type, slug }) => type !== 'html' && slug !== 'short-description' && !beyondIt.includes(`${sku} ${slug}`))
    .filter(({ slug }) => !agrees(values[slug]!.value, expected[sku]![slug] ?? null))
    .map(({ slug }) => ({ slug, found: values[slug]!.value, expected: expected[sku]![slug] ?? null }));
  expect(wrong).toEqual([]);
});

test.each(beyondIt)('the offline model returns null for %s instead of a guess', (missed) => {
  const [sku = '', slug = ''] = missed.split(' ');
  expect(extractions.get(sku)?.values[slug]).toMatchObject({ value: null, confidence: 0 });
});
