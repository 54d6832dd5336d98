import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { type Catalog, invalid, notFound, openCatalog } from './catalog.ts';

let catalog: Catalog;
let id: string;
beforeAll(async () => {
  catalog = await openCatalog();
  id = await catalog.create({ sku: 'A' });
});

const write = (attributes: unknown) => catalog.post(`/products/${id}/update-attributes`, { attributes });
const attribute = (attributeType: unknown, value: unknown) => ({ attributeId: 'a1', attributeName: 'Key', attributeType, value });

test.each([
  ['text', 'M6 × 20'],
  ['text', ''],
  ['html', '<p>Two <b>parts</b></p>'],
  ['number', 1.25],
  ['number', -0.5],
  ['number', 0],
  ['date', '2024-02-29'],
  ['date', '2024-02-29T12:30:00Z'],
  ['boolean', false],
  ['select', 'Red'],
  ['multiselect', []],
  ['multiselect', ['Red', 'Blue']],
  ['text', null],
  ['number', null],
])('a %s of %j is stored as it is', async (type, value) => {
  const { status, body } = await write({ key: attribute(type, value) });
  expect([status, body.data?.attributes.key]).toEqual([200, attribute(type, value)]);
});

const expected: Record<string, string> = {
  text: 'a string',
  html: 'a string of HTML',
  number: 'a number',
  date: 'an ISO date',
  boolean: 'true or false',
  select: 'a string',
  multiselect: 'an array of strings',
};
test.each([
  ['text', 5],
  ['text', ['a']],
  ['html', {}],
  ['number', '5'],
  ['number', true],
  ['date', '2024-02-30'],
  ['date', '2024-02-29T25:61'],
  ['date', 'yesterday'],
  ['date', 1_700_000_000],
  ['boolean', 'true'],
  ['boolean', 1],
  ['select', ['Red']],
  ['multiselect', 'Red'],
  ['multiselect', ['Red', 5]],
  ['multiselect', [null]],
])('a %s of %j is rejected', async (type, value) => {
  expect(await write({ key: attribute(type, value) })).toEqual(
    invalid(`attributes.key.value must be ${expected[type]} for the type ${type}`),
  );
});

test.each([
  [[], 'attributes must be an object'],
  ['text', 'attributes must be an object'],
  [5, 'attributes must be an object'],
  [{ key: 'Red' }, 'attributes.key must be an attribute value object'],
  [{ key: null }, 'attributes.key must be an attribute value object'],
  [{ key: [] }, 'attributes.key must be an attribute value object'],
  [{ key: { attributeType: 'text' } }, 'attributes.key.value is required'],
  [
    { key: attribute('color', 'x') },
    'attributes.key.attributeType must be one of text, html, number, date, boolean, select, multiselect',
  ],
  [{ key: { value: 'x' } }, 'attributes.key.attributeType must be one of text, html, number, date, boolean, select, multiselect'],
  [{ key: { ...attribute('text', 'x'), attributeId: 5 } }, 'attributes.key.attributeId must be a string of at most 128 characters'],
  [
    { key: { ...attribute('text', 'x'), attributeName: {} } },
    'attributes.key.attributeName must be a string of at most 256 characters',
  ],
  [{ '': attribute('text', 'x') }, 'attributes. is no attribute key'],
])('the map %j is rejected', async (attributes, fault) => {
  expect(await write(attributes)).toEqual(invalid(fault));
  if (typeof attributes === 'object') {
    expect(await catalog.post('/products/create', { sku: 'REFUSED', name: 'n', attributes })).toEqual(invalid(fault));
  }
});

test('without a map nothing is written', async () => {
  expect(await catalog.post(`/products/${id}/update-attributes`, {})).toEqual(invalid('attributes is required'));
  expect(await write(null)).toEqual(invalid('attributes is required'));
});

describe('an attribute of that slug', () => {
  const color = { slug: 'color', name: 'Color', type: 'text' };
  let attributeId: string;
  beforeAll(async () => {
    const create = 'mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }';
    attributeId = (await catalog.graphql(create, { input: color })).createAttribute.id;
    await catalog.graphql(create, { input: { ...color, slug: 'origin', subject: 'brand' } });
  });
  const value = { attributeType: 'text', value: 'red' };

  test('provides a missing id and name', async () => {
    const { body } = await write({ color: value, size: value, origin: value });
    expect(body.data.attributes).toMatchObject({
      color: { attributeId, attributeName: 'Color', ...value },
      size: { attributeId: null, attributeName: 'size', ...value },
      origin: { attributeId: null, attributeName: 'origin', ...value },
    });
  });

  test('does not override sent fields', async () => {
    const sent = { attributeId: 'mine', attributeName: 'My color', ...value };
    expect((await write({ color: sent })).body.data.attributes.color).toEqual(sent);
    const { attributeName: _, ...unnamed } = sent;
    expect((await write({ color: unnamed })).body.data.attributes.color).toEqual({ ...unnamed, attributeName: 'Color' });
  });

  test('also applies to creation', async () => {
    const created = await catalog.create({ sku: 'DEFINED', attributes: { color: value } });
    const { product } = await catalog.graphql('query ($id: ID!) { product(id: $id) { attributes } }', { id: created });
    expect(product.attributes).toEqual({ color: { attributeId, attributeName: 'Color', ...value } });
  });
});

test.each<[string, object, string]>([
  ['text', attribute('text', 'x'.repeat(100_001)), 'must be at most 100000 characters'],
  ['list', attribute('multiselect', Array(1_001).fill('x')), 'must have at most 1000 entries'],
  ['entry', attribute('multiselect', ['x'.repeat(100_001)]), 'must have entries of at most 100000 characters'],
])('a %s that is too long is rejected with its limit', async (_, value, fault) => {
  expect(await write({ a: value })).toEqual(invalid(`attributes.a.value ${fault}`));
});

describe('several faults are named together, five at most', () => {
  const bad = { attributeType: 'number', value: 'x' };

  test('of one map', async () => {
    expect(await write({ a: bad, b: { attributeType: 'color' } })).toEqual(
      invalid(
        'attributes.a.value must be a number for the type number; ' +
          'attributes.b.attributeType must be one of text, html, number, date, boolean, select, multiselect; attributes.b.value is required',
      ),
    );
    const six = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => [key, bad]));
    expect((await write(six)).body.message.split('; ')).toHaveLength(5);
  });

  test('of a map and other fields', async () => {
    const fault = 'attributes.a.value must be a number for the type number';
    expect(await catalog.post('/products/create', { sku: '', name: 'n', attributes: { a: bad } })).toEqual(
      invalid(`sku must not be empty; ${fault}`),
    );
    const products = [
      { sku: 'A', name: 'n' },
      { sku: 'x'.repeat(65), name: 'n', attributes: { a: bad } },
    ];
    expect(await catalog.post('/products/bulk-create', { products })).toEqual(
      invalid(`products[1].sku must be at most 64 characters; products[1].${fault}`),
    );
  });
});

test('values for a product that is deleted meanwhile are 404', async () => {
  const product = await catalog.create({ sku: 'DELETED' });
  const client = await database().connect();
  try {
    await client.query('begin');
    await client.query('delete from catalog.products where id = $1', [product]);
    const writing = catalog.post(`/products/${product}/update-attributes`, { attributes: { key: attribute('text', 'x') } });
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%catalog%products%'`;
    await until(async () => ((await database().query(waiting)).rowCount ?? 0) > 0);
    await client.query('commit');
    expect(await writing).toEqual(notFound);
  } finally {
    client.release();
  }
});

describe('all values of a product together', () => {
  const text = (length: number) => attribute('text', 'x'.repeat(length));
  const many = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, text(99_000)]));
  const fault = invalid('attributes must have at most 1000000 bytes of values together');

  test('have a maximum size for new products', async () => {
    const product = { sku: 'LARGE', name: 'Anvil', attributes: many('a', 11) };
    expect(await catalog.post('/products/create', product)).toEqual(fault);
    expect(await catalog.post('/products/bulk-create', { products: [product] })).toEqual(
      invalid('products[0].attributes must have at most 1000000 bytes of values together'),
    );
  });

  test('have a maximum size across several writes', async () => {
    const product = await catalog.create({ sku: 'GROWS' });
    const add = (prefix: string, count: number) =>
      catalog.post(`/products/${product}/update-attributes`, { attributes: many(prefix, count) });
    expect((await add('a', 9)).status).toBe(200);
    expect(await add('b', 2)).toEqual(fault);
    expect((await add('a', 10)).status).toBe(200);
  });
});
