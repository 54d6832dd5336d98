import { aTime, type Catalog, notFound, ok, openCatalog } from './catalog.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openCatalog();
});

const text = (value: string) => ({ attributeId: 'a1', attributeName: 'Key', attributeType: 'text', value });
const write = (id: string, attributes: object) =>
  catalog.post(`/products/${encodeURIComponent(id)}/update-attributes`, { attributes });

test('an answer has exactly the documented fields', async () => {
  const id = await catalog.create({ sku: 'A1', name: 'Anvil' });
  const answer = await write(id, { colour: text('Red') });
  expect(answer).toEqual(ok({ id, sku: 'A1', name: 'Anvil', attributes: { colour: text('Red') }, updatedAt: aTime }));
});

test('values are written key by key; the others stay', async () => {
  const id = await catalog.create({ sku: 'A2', attributes: { colour: text('Red'), size: text('L') } });
  const { body } = await write(id, { size: text('XL'), weight: text('1 kg') });
  expect(body.data.attributes).toEqual({ colour: text('Red'), size: text('XL'), weight: text('1 kg') });
  expect((await write(id, {})).body.data.attributes).toEqual(body.data.attributes);
});

test('a missing name becomes the key, and a missing id becomes null', async () => {
  const id = await catalog.create({ sku: 'A3' });
  const { body } = await write(id, { colour: { attributeType: 'text', value: 'Red', source: 'ignored' } });
  expect(body.data.attributes).toEqual({
    colour: { attributeId: null, attributeName: 'colour', attributeType: 'text', value: 'Red' },
  });
});

test.each(['erp-17', 'a/b c?d#e', '50%', '工具', '0199a000-0000-7000-8000-000000000abc', 'é'.repeat(256)])(
  'a product is named by its external id %j',
  async (externalId) => {
    const id = await catalog.create({ sku: externalId.slice(0, 64), externalId });
    expect((await write(externalId, { colour: text('Red') })).body.data).toMatchObject({ id, attributes: { colour: text('Red') } });
  },
);

test('an id takes precedence over an equal external id', async () => {
  const id = await catalog.create({ sku: 'A4' });
  await catalog.create({ sku: 'A5', externalId: id });
  expect((await write(id, {})).body.data).toMatchObject({ id, sku: 'A4' });
});

test('a product of another organization is unknown by either id', async () => {
  const id = await catalog.create({ sku: 'A6', externalId: 'of the first' });
  const other = await openCatalog();
  for (const name of [id, 'of%20the%20first']) {
    expect(await other.post(`/products/${name}/update-attributes`, { attributes: {} })).toEqual(notFound);
  }
});

test('concurrent writes of different keys are all kept', async () => {
  const id = await catalog.create({ sku: 'A7' });
  const keys = Array.from({ length: 12 }, (_, n) => `key${n}`);
  await Promise.all(keys.map((key) => write(id, { [key]: text(key) })));
  expect(Object.keys((await write(id, {})).body.data.attributes).sort()).toEqual(keys.toSorted());
});

test('an update of the product leaves its attributes', async () => {
  const id = await catalog.create({ sku: 'A8', attributes: { colour: text('Red') } });
  await catalog.post(`/products/${id}/update`, { sku: 'A8', name: 'Renamed', attributes: {} });
  expect((await write(id, {})).body.data.attributes).toEqual({ colour: text('Red') });
});
