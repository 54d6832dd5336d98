import { randomUUID } from 'node:crypto';
import { caller } from '../support/client.ts';
import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';

const HISTORY = `query ($productId: ID!, $slug: String!) {
  valueHistory(productId: $productId, slug: $slug) {
    value { attributeType value } before { value } confidence user { id } item { id }
  }
}`;
const WRITE = 'mutation ($id: ID!, $values: AttributeValues!) { updateProductAttributes(id: $id, attributes: $values) { id } }';
const number = (value: unknown) => ({ weight: { attributeType: 'number', value } });

test('the history of a value has the changes of users with the value before, and those of jobs, newest first', async () => {
  const catalog = await seedCatalog([color, weight]);
  const { api, owner } = catalog;
  const [id] = await catalog.addProducts([{ attributes: number(5), userProvidedRawDataSources: ['Weight: 2 kg'] }]);
  const read = async (slug = 'weight') => (await api.graphql(HISTORY, { productId: id, slug })).valueHistory;
  expect(await read()).toEqual([]);
  await api.graphql(WRITE, { id, values: number(900) });
  await api.graphql(WRITE, { id, values: { color: { attributeType: 'text', value: 'red' } } });
  await api.graphql(WRITE, { id, values: number(null) });
  const { items } = await catalog.enrich([id!]);
  const value = (content: unknown) => ({ attributeType: 'number', value: content });
  const byUser = { confidence: null, user: { id: owner.id }, item: null };
  expect(await read()).toEqual([
    { value: value(2), before: null, confidence: expect.any(Number), user: null, item: { id: items[0].id } },
    { value: value(null), before: { value: 900 }, ...byUser },
    { value: value(900), before: { value: 5 }, ...byUser },
  ]);
  expect(await read('color')).toMatchObject([{ value: { value: 'red' }, before: null, item: null }]);
  await api.graphql(WRITE, { id, values: number(2) });
  expect(await read()).toHaveLength(3);
  const times = await api.graphql('query ($id: ID!) { valueHistory(productId: $id, slug: "weight") { at } }', { id });
  expect(times.valueHistory.map(({ at }: { at: string }) => at)).toEqual(Array(3).fill(expect.stringMatching(/^\d{4}-.*Z$/)));
});

test('another organization reads no history, and no picture', async () => {
  const catalog = await seedCatalog();
  const [productId] = await catalog.addProducts([{}]);
  const { api } = await seedCatalog();
  expect(await api.refusal(HISTORY, { productId, slug: 'color' })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await api.refusal('query ($id: ID!) { productImageContent(id: $id) }', { id: productId })).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('an operation shows only as many pictures as an answer may contain', async () => {
  const catalog = await seedCatalog();
  const [productId] = await catalog.addProducts([{}]);
  const id = randomUUID();
  await database().query(
    `insert into catalog.product_images (id, organization_id, product_id, url, source_url, mime, bytes, content_hash)
     select $1, organization_id, id, 'http://127.0.0.1:9/a.png', 'http://127.0.0.1:9', 'image/png', 1000000, 'h' from catalog.products where id = $2`,
    [id, productId],
  );
  const pictures = (count: number) =>
    `query ($id: ID!) { ${Array.from({ length: count }, (_, n) => `p${n}: productImageContent(id: $id)`).join(' ')} }`;
  expect(await catalog.api.graphql(pictures(2), { id })).toEqual({ p0: null, p1: null });
  expect(await catalog.api.refusal(pictures(30), { id })).toMatchObject({ code: 'LIMIT_REACHED' });
});

test('a template creates the missing attributes and their set, once', async () => {
  const { api, addMember } = await seedCatalog([color]);
  const apply = 'mutation ($id: String!) { createAttributesOfTrade(template: $id) { id name } }';
  const { attributeTemplates } = await api.graphql('{ attributeTemplates { id name attributes } }');
  expect(attributeTemplates.map(({ id }: { id: string }) => id)).toEqual(['furniture', 'fashion', 'electronics', 'tools']);
  const before = (await api.graphql('{ firstSteps { attributes products enrichment review } }')).firstSteps;
  expect(before).toEqual({ attributes: true, products: false, enrichment: false, review: false });
  await api.graphql(apply, { id: 'fashion' });
  const { attributes, attributeSets } = await api.graphql(
    '{ attributes { slug type } attributeSets { name attributeSetAttributes { required attribute { slug } } } }',
  );
  const { attributes: names } = attributeTemplates.find(({ id }: { id: string }) => id === 'fashion');
  // The organization has an attribute of another type with the slug.
  expect(attributes).toHaveLength(names.length + 1);
  expect(attributes).toContainEqual({ slug: 'color', type: 'text' });
  expect(attributes).toContainEqual({ slug: 'color-2', type: 'multiselect' });
  expect(attributeSets).toHaveLength(1);
  expect(attributeSets[0].attributeSetAttributes).toHaveLength(names.length);
  expect(attributeSets[0].attributeSetAttributes).toContainEqual({ required: true, attribute: { slug: 'color-2' } });
  expect(await api.refusal(apply, { id: 'fashion' })).toMatchObject({ code: 'CONFLICT' });
  const german = 'mutation { createAttributesOfTrade(template: "tools", inGerman: true) { name } }';
  expect(await api.graphql(german)).toEqual({ createAttributesOfTrade: { name: 'Werkzeuge' } });
  const { attributes: all } = await api.graphql('{ attributes { slug name options translations { language name } } }');
  expect(all.find(({ slug }: { slug: string }) => slug === 'power-source')).toEqual({
    ...{ slug: 'power-source', name: 'Antrieb', options: ['Akku', 'Netz', 'Benzin', 'Druckluft', 'Hand'] },
    translations: [{ language: 'en', name: 'Power source' }],
  });
  // An attribute of the same type takes the place of that of the template.
  expect(all.filter(({ slug }: { slug: string }) => slug.startsWith('description'))).toHaveLength(1);
  expect(await api.refusal(apply, { id: 'boats' })).toMatchObject({ code: 'NOT_FOUND' });
  const { key } = await addMember('member');
  expect(await caller(key).refusal(apply, { id: 'tools' })).toMatchObject({ code: 'FORBIDDEN' });
});
