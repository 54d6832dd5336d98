import { color, originOf, seedCatalog, weight } from '../support/enrichment.ts';

const story = { slug: 'story', name: 'Story', type: 'html' };
const PROVENANCE =
  'query ($id: ID!) { product(id: $id) { attributes provenance { slug agreed alternative confidence statedConfidence } } job: jobEstimate(kind: "product-enrichment", modelType: "pro-v1", productIds: [$id], agreement: true) { credits } }';

const catalog = await seedCatalog([color, weight, story]);
const { api, addProducts, enrich, balance } = catalog;
const texts = ['Color: red\nWeight: 2 kg', 'Color: blue\nWeight: 2 kg'];
const read = async (id: string) => (await api.graphql(PROVENANCE, { id })).product;

test('a value that depends on the order of the sources has half the confidence, and shows the other value', async () => {
  const [once, twice] = await addProducts([{ userProvidedRawDataSources: texts }, { userProvidedRawDataSources: texts }]);
  const before = await balance();
  await enrich([once!], { modelType: 'pro-v1' });
  expect(before - (await balance())).toBe(5);
  const { job, items } = await enrich([twice!], { modelType: 'pro-v1', agreement: true });
  expect([job.status, items[0].cost, before - (await balance())]).toEqual(['completed', 8, 13]);

  const [single, compared] = [await read(once!), await read(twice!)];
  const confidence = originOf(single.provenance, 'color') as unknown as { confidence: number };
  expect(confidence).toMatchObject({ agreed: null, alternative: null });
  const other = single.attributes.color.value === 'red' ? 'blue' : 'red';
  expect(compared.attributes.color.value).toBe(single.attributes.color.value);
  const halved = Math.round(confidence.confidence / 2);
  expect(originOf(compared.provenance, 'color')).toMatchObject({ agreed: false, alternative: other, statedConfidence: halved });
  expect(originOf(compared.provenance, 'weight')).toMatchObject({
    ...originOf(single.provenance, 'weight'),
    agreed: true,
    alternative: null,
  });
});

test('case and spaces are no disagreement', async () => {
  const [same] = await addProducts([{ userProvidedRawDataSources: ['Color: Dark  Red', 'Color: dark red'] }]);
  await enrich([same!], { modelType: 'pro-v1', agreement: true });
  expect(originOf((await read(same!)).provenance, 'color')).toMatchObject({ agreed: true, alternative: null });
});

test('only pro-v1 reads twice; the estimate contains the price', async () => {
  const [id] = await addProducts([{ userProvidedRawDataSources: texts }]);
  const create = `mutation ($id: ID!) { createProductEnrichmentJob(input: { productIds: [$id], modelType: "budget-v1", agreement: true }) { id } }`;
  expect(await api.refusal(create, { id })).toMatchObject({
    code: 'INVALID_INPUT',
    message: 'agreement needs the modelType pro-v1',
  });
  expect((await api.graphql(PROVENANCE, { id })).job.credits).toBe(8);
});
