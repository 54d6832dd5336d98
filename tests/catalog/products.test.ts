import { anId, aTime, type Catalog, notFound, ok, openCatalog, unknownId } from './catalog.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openCatalog();
});

const text = { manufacturer: 'Torvik AB', mpn: 'TV-1', brand: 'Torvik', category: 'Tools > Drills' };

test('creating a product returns exactly the documented fields', async () => {
  const input = { sku: 'CREATE', name: 'Drill', ...text, uom: 'piece', externalId: 'erp-1', isParent: false, parentId: null };
  const answer = await catalog.post('/products/create', { ...input, userProvidedRawDataSources: ['https://example.com/drill'] });
  expect(answer).toEqual(ok({ id: anId, sku: 'CREATE', name: 'Drill', ...text, createdAt: aTime }));
});

test('absent fields are null after creation', async () => {
  const answer = await catalog.post('/products/create', { sku: 'BARE', name: 'Drill' });
  const nothing = { manufacturer: null, brand: null, mpn: null, category: null };
  expect(answer).toEqual(ok({ id: anId, sku: 'BARE', name: 'Drill', ...nothing, createdAt: aTime }));
});

test('every field of a new product is stored', async () => {
  const sources = ['https://example.com/a', 'a plain reference'];
  const weight = { attributeId: 'a1', attributeName: 'Weight', attributeType: 'number', value: 1.4 };
  const input = { sku: 'STORED', name: 'Drill', ...text, uom: 'piece', externalId: 'erp-2', isParent: true };
  const id = await catalog.create({ ...input, userProvidedRawDataSources: sources, attributes: { weight } });
  const { product } = await catalog.graphql(
    `query ($id: ID!) { product(id: $id) {
      sku name manufacturer mpn brand category uom externalId isParent parentId enriched userProvidedRawDataSources attributes provenance { slug }
    } }`,
    { id },
  );
  const none = { parentId: null, enriched: false, provenance: [] };
  expect(product).toEqual({ ...input, ...none, userProvidedRawDataSources: sources, attributes: { weight } });
});

test('reading a product returns exactly the documented fields', async () => {
  const id = await catalog.create({ sku: 'READ', name: 'Drill', ...text });
  const answer = await catalog.post(`/products/${id}/get`);
  const times = { createdAt: aTime, updatedAt: aTime };
  expect(answer).toEqual(ok({ id, sku: 'READ', name: 'Drill', ...text, parentId: null, isParent: false, ...times }));
});

test('deleting a product returns its id and removes it', async () => {
  const id = await catalog.create({ sku: 'DELETE' });
  expect(await catalog.post(`/products/${id}/delete`)).toEqual(ok({ id, deleted: true }));
  expect(await catalog.post(`/products/${id}/get`)).toEqual(notFound);
  expect(await catalog.post(`/products/${id}/delete`)).toEqual(notFound);
  expect(await catalog.post('/products/create', { sku: 'DELETE', name: 'again' })).toMatchObject({ status: 200 });
});

test.each([
  ['get', undefined],
  ['update', { sku: 'A', name: 'A' }],
  ['delete', undefined],
  ['update-attributes', { attributes: {} }],
  ['enrichment-history', undefined],
  ['validation-history', undefined],
])('%s of an unknown product is 404', async (action, body) => {
  expect(await catalog.post(`/products/${unknownId}/${action}`, body)).toEqual(notFound);
  expect(await catalog.post(`/products/no-id/${action}`, body)).toEqual(notFound);
});

test('fields that are not documented are ignored', async () => {
  const id = '0199a000-0000-7000-8000-00000000aaaa';
  const answer = await catalog.post('/products/create', { sku: 'EXTRA', name: 'Drill', id, enriched: true, organizationId: id });
  expect(answer.body.data).toMatchObject({ sku: 'EXTRA' });
  expect(answer.body.data.id).not.toBe(id);
});
