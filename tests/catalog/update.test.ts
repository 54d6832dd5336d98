import { aTime, type Catalog, invalid, ok, openCatalog, taken } from './catalog.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openCatalog();
});

const fields = 'sku name manufacturer mpn brand category uom externalId isParent userProvidedRawDataSources';
const read = async (id: string) => (await catalog.graphql(`query ($id: ID!) { product(id: $id) { ${fields} } }`, { id })).product;
const full = {
  manufacturer: 'Torvik AB',
  mpn: 'TV-1',
  brand: 'Torvik',
  category: 'Drills',
  uom: 'piece',
  isParent: true,
  userProvidedRawDataSources: ['https://example.com'],
};

test('an update returns exactly the documented fields', async () => {
  const id = await catalog.create({ sku: 'U1', brand: 'Torvik' });
  const answer = await catalog.post(`/products/${id}/update`, { sku: 'U1b', name: 'Renamed' });
  expect(answer).toEqual(ok({ id, sku: 'U1b', name: 'Renamed', brand: 'Torvik', updatedAt: aTime }));
});

test('an absent field keeps its value', async () => {
  const id = await catalog.create({ sku: 'U2', externalId: 'u2', ...full });
  await catalog.post(`/products/${id}/update`, { sku: 'U2', name: 'Renamed' });
  expect(await read(id)).toEqual({ sku: 'U2', name: 'Renamed', externalId: 'u2', ...full });
});

test('null clears a field', async () => {
  const id = await catalog.create({ sku: 'U3', externalId: 'u3', ...full });
  const nothing = { manufacturer: null, mpn: null, brand: null, category: null, externalId: null };
  const sent = { sku: 'U3', name: 'Anvil', ...nothing, isParent: null, userProvidedRawDataSources: null };
  expect(await catalog.post(`/products/${id}/update`, sent)).toMatchObject({ status: 200 });
  expect(await read(id)).toEqual({
    sku: 'U3',
    name: 'Anvil',
    ...nothing,
    uom: 'piece',
    isParent: false,
    userProvidedRawDataSources: [],
  });
});

test('the unit of measure is set at creation only', async () => {
  const id = await catalog.create({ sku: 'U4', uom: 'piece' });
  await catalog.post(`/products/${id}/update`, { sku: 'U4', name: 'Anvil', uom: 'box' });
  expect(await read(id)).toMatchObject({ uom: 'piece' });
});

test('an update changes updatedAt but not createdAt', async () => {
  const id = await catalog.create({ sku: 'U5' });
  const before = (await catalog.post(`/products/${id}/get`)).body.data;
  await catalog.post(`/products/${id}/update`, { sku: 'U5', name: 'Anvil' });
  const after = (await catalog.post(`/products/${id}/get`)).body.data;
  expect(after.createdAt).toBe(before.createdAt);
  expect(after.updatedAt > before.updatedAt).toBe(true);
});

test.each([
  [{ sku: 'U6' }, 'name is required'],
  [{ name: 'Anvil' }, 'sku is required'],
  [{}, 'sku is required; name is required'],
])('an update needs sku and name: %j', async (body, fault) => {
  const id = await catalog.create({ sku: crypto.randomUUID() });
  expect(await catalog.post(`/products/${id}/update`, body)).toEqual(invalid(fault));
});

test('a SKU or external id of another product is a conflict, and nothing changes', async () => {
  await catalog.create({ sku: 'OWNED', externalId: 'owned' });
  const id = await catalog.create({ sku: 'U7' });
  expect(await catalog.post(`/products/${id}/update`, { sku: 'OWNED', name: 'x' })).toEqual(taken('OWNED'));
  expect(await catalog.post(`/products/${id}/update`, { sku: 'U7', name: 'x', externalId: 'owned' })).toEqual(taken('owned'));
  expect(await read(id)).toMatchObject({ sku: 'U7', name: 'Anvil', externalId: null });
});

test('sending the unchanged SKU and external id is not a conflict', async () => {
  const id = await catalog.create({ sku: 'U8', externalId: 'u8' });
  expect(await catalog.post(`/products/${id}/update`, { sku: 'U8', name: 'x', externalId: 'u8' })).toMatchObject({ status: 200 });
});

test('an empty external id is rejected', async () => {
  expect(await catalog.post('/products/create', { sku: 'U9', name: 'x', externalId: '' })).toEqual(
    invalid('externalId must not be empty'),
  );
});

const UPDATE = 'mutation ($id: ID!, $input: ProductChange!) { updateProduct(id: $id, input: $input) { id } }';

test('in the graph, SKU and name may be left out but not null', async () => {
  const id = await catalog.create({ sku: 'U10', externalId: 'u10', ...full });
  await catalog.graphql(UPDATE, { id, input: { brand: 'Norrvik' } });
  expect(await read(id)).toEqual({ sku: 'U10', name: 'Anvil', externalId: 'u10', ...full, brand: 'Norrvik' });
  expect(await catalog.refusal(UPDATE, { id, input: { sku: null, name: null } })).toMatchObject({
    code: 'INVALID_INPUT',
    message: 'sku must not be null; name must not be null',
  });
  await catalog.create({ sku: 'U10-OTHER', externalId: 'u10-other' });
  expect(await catalog.refusal(UPDATE, { id, input: { externalId: 'u10-other' } })).toMatchObject({
    code: 'CONFLICT',
    message: taken('u10-other').body.message,
  });
});

test('a field with an absent variable keeps its value', async () => {
  const id = await catalog.create({ sku: 'U11', externalId: 'u11', ...full });
  const inline = `mutation ($id: ID!, $name: String, $brand: String, $sources: [String!]) {
    updateProduct(id: $id, input: { name: $name, brand: $brand, userProvidedRawDataSources: $sources }) { id }
  }`;
  await catalog.graphql(inline, { id, name: 'Renamed' });
  expect(await read(id)).toEqual({ sku: 'U11', externalId: 'u11', ...full, name: 'Renamed' });
  await catalog.graphql(inline, { id, brand: null });
  expect(await read(id)).toEqual({ sku: 'U11', externalId: 'u11', ...full, name: 'Renamed', brand: null });
});
