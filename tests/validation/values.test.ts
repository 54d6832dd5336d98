import { aTime } from '../catalog/catalog.ts';
import { markedName } from '../support/marked-name.ts';
import { openValidation, value } from './validation.ts';

const existing = { color: value('text', 'red'), weight: value('number', 2) };

test('each value is compared with the sources, and the score is the mean probability', async () => {
  const { addProducts, validate, history, attributeIds, product } = await openValidation();
  const [id] = await addProducts([
    {
      attributes: { ...existing, washable: value('boolean', true), unknown: value('text', 'x') },
      userProvidedRawDataSources: ['Color: red\nWeight: 1.5 kg'],
    },
  ]);
  const { job, items } = await validate([id!]);
  expect(job).toMatchObject({ status: 'completed', successCount: 1 });
  const { validationResults, overallScore } = items[0];
  expect(validationResults).toEqual({
    color: {
      attributeId: attributeIds.color,
      attributeName: 'Color',
      attributeType: 'text',
      existingValue: 'red',
      isValid: true,
      confidence: 95,
      explanation: expect.stringContaining('“Color: red”'),
    },
    weight: {
      attributeId: attributeIds.weight,
      attributeName: 'Weight',
      attributeType: 'number',
      existingValue: 2,
      isValid: false,
      confidence: 95,
      explanation: expect.stringContaining('“Weight: 1.5 kg”'),
    },
    washable: expect.objectContaining({
      isValid: true,
      confidence: 50,
      explanation: 'No source states this, so the value is neither confirmed nor contradicted.',
    }),
  });
  expect(overallScore).toBe(50);
  expect(await history(id!)).toEqual([{ id: expect.any(String), productId: id, validatedAt: aTime, overallScore: 50 }]);
  expect((await product(id!)).attributes.weight.value).toBe(2);
});

test('a score has two decimals', async () => {
  const { addProducts, validate } = await openValidation();
  const ids = await addProducts([
    {
      attributes: { ...existing, washable: value('boolean', true) },
      userProvidedRawDataSources: ['Color: red\nWeight: 2 kg'],
    },
  ]);
  expect((await validate(ids)).items[0].overallScore).toBe(80);
  const three = await addProducts([
    {
      attributes: { ...existing, washable: value('boolean', true) },
      userProvidedRawDataSources: ['It comes in red.\nWeight: 3 kg'],
    },
  ]);
  const { validationResults, overallScore } = (await validate(three)).items[0];
  const scores = Object.values<{ isValid: boolean; confidence: number }>(validationResults).map(({ isValid, confidence }) =>
    isValid ? confidence : 100 - confidence,
  );
  expect(overallScore).toBe(Number((scores.reduce((sum, each) => sum + each) / 3).toFixed(2)));
});

test('only chosen attributes are compared', async () => {
  const { addProducts, validate, attributeIds } = await openValidation();
  const ids = await addProducts([{ attributes: existing, userProvidedRawDataSources: ['Color: red'] }]);
  const { items } = await validate(ids, { attributeIds: [attributeIds.color] });
  expect(Object.keys(items[0].validationResults)).toEqual(['color']);
});

test('a product without values or with unreachable pages fails at no charge', async () => {
  const { addProducts, validate, history, balance } = await openValidation();
  const ids = await addProducts([
    { userProvidedRawDataSources: ['Color: red'] },
    { attributes: existing, userProvidedRawDataSources: ['http://127.0.0.1:1/page'] },
  ]);
  const before = await balance();
  const { job, items } = await validate(ids);
  expect(job.status).toBe('completed_with_errors');
  const failed = { status: 'failed', validationResults: null, overallScore: null };
  expect(items).toMatchObject([
    { ...failed, errorMessage: 'Insufficient product data' },
    { ...failed, errorMessage: 'Unable to fetch source data' },
  ]);
  expect(await balance()).toBe(before);
  expect(await history(ids[1]!)).toEqual([]);
});

test('a parent is compared with the combined values of its variants, without a model', async () => {
  const { addProducts, validate, history } = await openValidation();
  const { name, asked } = markedName();
  const [parent] = await addProducts([
    {
      name,
      isParent: true,
      attributes: { color: value('multiselect', ['blue', 'red']), weight: value('text', '1–3 kg') },
      userProvidedRawDataSources: ['http://127.0.0.1:1/page'],
    },
  ]);
  await addProducts([
    { name, parentId: parent, attributes: { color: value('text', 'red'), weight: value('number', 1) } },
    { name, parentId: parent, attributes: { color: value('text', 'blue'), weight: value('number', 2) } },
  ]);
  const { items } = await validate([parent!], { extractImages: true });
  expect(items[0]).toMatchObject({
    status: 'completed',
    validationResults: {
      color: { isValid: true, confidence: 100, attributeType: 'multiselect' },
      weight: { isValid: false, confidence: 100, explanation: expect.stringContaining('“1–2 kg”') },
    },
    overallScore: 50,
  });
  expect(await history(parent!)).toMatchObject([{ overallScore: 50 }]);
  expect(await asked()).toBe(0);

  await validate(await addProducts([{ name, attributes: existing, userProvidedRawDataSources: ['Color: red'] }]));
  expect(await asked()).toBeGreaterThan(0);
});

test('a parent without enriched variants fails', async () => {
  const { addProducts, validate } = await openValidation();
  const [parent] = await addProducts([{ isParent: true, attributes: existing }]);
  await addProducts([{ parentId: parent }]);
  expect((await validate([parent!])).items[0]).toMatchObject({ status: 'failed', errorMessage: 'Insufficient product data' });
});
