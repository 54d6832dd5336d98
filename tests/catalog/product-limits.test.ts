import { type Catalog, invalid, openCatalog } from './catalog.ts';

let catalog: Catalog;
let id: string;
beforeAll(async () => {
  catalog = await openCatalog();
  id = await catalog.create({ sku: 'CHANGED' });
});

const whole = { sku: 'A', name: 'Anvil' };
const limits: [field: string, characters: number][] = [
  ['sku', 64],
  ['name', 256],
  ['manufacturer', 256],
  ['mpn', 128],
  ['uom', 128],
  ['brand', 128],
];

describe.each(limits)('%s has at most %i characters', (field, characters) => {
  // Characters of four bytes and two UTF-16 units: they count once.
  const longest = '𝄞'.repeat(characters);
  const fault = `${field} must be at most ${characters} characters`;

  test('at creation', async () => {
    const accepted = await catalog.post('/products/create', { sku: `longest ${field}`, name: 'Anvil', [field]: longest });
    expect(accepted).toMatchObject({ status: 200 });
    const refusal = await catalog.post('/products/create', { ...whole, [field]: `${longest}x` });
    expect(refusal).toEqual(invalid(fault));
  });

  test('in bulk', async () => {
    const refusal = await catalog.post('/products/bulk-create', { products: [whole, { ...whole, [field]: `${longest}x` }] });
    expect(refusal).toEqual(invalid(`products[1].${fault}`));
  });

  if (field !== 'uom')
    test('on update', async () => {
      expect(await catalog.post(`/products/${id}/update`, { ...whole, [field]: `${longest}x` })).toEqual(invalid(fault));
    });
});

test.each([
  ['sku', {}, 'is required'],
  ['name', {}, 'is required'],
  ['sku', { sku: '' }, 'must not be empty'],
  ['name', { name: '' }, 'must not be empty'],
  ['sku', { sku: ' \u00a0' }, 'must not be blank'],
  ['name', { name: '\t' }, 'must not be blank'],
  ['sku', { sku: 'A\n' }, 'must be one line without control characters'],
  ['name', { name: 'a\u2028b' }, 'must be one line without control characters'],
  ['externalId', { externalId: ' ' }, 'must not be blank'],
  ['sku', { sku: null }, 'is required'],
  ['sku', { sku: 12 }, 'must be a string'],
  ['name', { name: ['a'] }, 'must be a string'],
  ['brand', { brand: {} }, 'must be a string'],
  ['isParent', { isParent: 'true' }, 'must be true or false'],
  ['userProvidedRawDataSources', { userProvidedRawDataSources: [1] }, 'must be a string'],
  ['userProvidedRawDataSources', { userProvidedRawDataSources: 'https://example.com' }, 'must be an array'],
  ['parentId', { parentId: 7 }, 'must be a string'],
  ['attributes', { attributes: [] }, 'must be an object'],
])('%s of %j %s', async (field, change, fault) => {
  const { [field]: _, ...rest } = whole as Record<string, unknown>;
  for (const path of ['/products/create', `/products/${id}/update`]) {
    if (field === 'attributes' && path.endsWith('update')) continue;
    const { status, body } = await catalog.post(path, { ...rest, ...change });
    expect(status).toBe(400);
    expect(body).toEqual({
      success: false,
      message: expect.stringMatching(new RegExp(`^Invalid request body: ${field}\\S* ${fault}$`)),
    });
  }
});

test('a rejected product is not stored', async () => {
  const total = await catalog.total();
  await catalog.post('/products/create', { ...whole, mpn: 'x'.repeat(129) });
  await catalog.post('/products/bulk-create', { products: [whole, { sku: 'B' }] });
  expect(await catalog.total()).toBe(total);
});

test('faults of type and broken limits are named together, five at most', async () => {
  const long = { sku: 'x'.repeat(65), name: 5, brand: 'x'.repeat(129), mpn: {} };
  const sentences = [
    'name must be a string',
    'mpn must be a string',
    'sku must be at most 64 characters',
    'brand must be at most 128 characters',
  ];
  expect(await catalog.post('/products/create', long)).toEqual(invalid(sentences.join('; ')));
  expect(await catalog.post(`/products/${id}/update`, long)).toEqual(invalid(sentences.join('; ')));
  expect(await catalog.post('/products/bulk-create', { products: [whole, long] })).toEqual(
    invalid(sentences.map((each) => `products[1].${each}`).join('; ')),
  );
  const { message } = (await catalog.post('/products/create', { ...long, isParent: 1, category: 2, externalId: '' })).body;
  expect(message.split('; ')).toHaveLength(5);
});

test('the same applies to pagination faults', async () => {
  expect(await catalog.post('/products/get', { page: 'x', limit: 500, search: 'x'.repeat(257) })).toEqual(
    invalid('page must be an integer; limit must be at most 100; search must be at most 256 characters'),
  );
});

test('an invalid attribute map is reported once', async () => {
  expect(await catalog.post('/products/create', { ...whole, sku: '', attributes: 5 })).toEqual(
    invalid('attributes must be an object; sku must not be empty'),
  );
});
