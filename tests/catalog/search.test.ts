import { type Catalog, openCatalog } from './catalog.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openCatalog();
  const products = [
    { sku: 'TV-18V', name: 'Cordless drill' },
    { sku: 'X%Y', name: 'Percent' },
    { sku: 'X_Y', name: 'Underscore' },
    { sku: 'X\\Y', name: 'Backslash' },
    { sku: 'XZY', name: "O'Hara; drop table" },
    { sku: 'ÅSEN', name: 'Übergröße' },
    { sku: 'ΟΔΟΣ', name: 'İstanbul' },
    { sku: '工具', name: '電動ドリル 𝄞' },
  ];
  await catalog.post('/products/bulk-create', { products: products.map((each) => ({ brand: 'Drillmaster', ...each })) });
});

const find = async (search: string) => {
  const { products, pagination } = (await catalog.post('/products/get', { search, sortBy: 'sku', sortOrder: 'asc' })).body.data;
  expect(pagination.total).toBe(products.length);
  return products.map(({ sku }: { sku: string }) => sku);
};

test.each([
  ['drill', ['TV-18V']],
  ['DRILL', ['TV-18V']],
  ['less dr', ['TV-18V']],
  ['tv-18', ['TV-18V']],
  ['18v', ['TV-18V']],
  ['åsen', ['ÅSEN']],
  ['ÜBERGRÖ', ['ÅSEN']],
  ['ΟΔΟΣ', ['ΟΔΟΣ']],
  ['οδοσ', ['ΟΔΟΣ']],
  ['İSTAN', ['ΟΔΟΣ']],
  ['ドリル', ['工具']],
  ['具', ['工具']],
  ['𝄞', ['工具']],
  ["O'HARA;", ['XZY']],
  ['drillmaster', []],
  ['nothing like it', []],
])('%j is found by name or SKU in any case', async (search, skus) => {
  expect(await find(search)).toEqual(skus);
});

test.each([
  ['%', ['X%Y']],
  ['x%y', ['X%Y']],
  ['_', ['X_Y']],
  ['x_y', ['X_Y']],
  ['\\', ['X\\Y']],
  ['x\\y', ['X\\Y']],
  ['\\%', []],
  ['%%', []],
])('%j is matched literally', async (search, skus) => {
  expect(await find(search)).toEqual(skus);
});

test('a search combines with a filter', async () => {
  await catalog.create({ sku: 'TV-FAMILY', name: 'Drills', isParent: true });
  const { products } = (await catalog.post('/products/get', { search: 'tv-', parentFilter: 'non-parent' })).body.data;
  expect(products.map(({ sku }: { sku: string }) => sku)).toEqual(['TV-18V']);
});

test('nothing of another organization is found', async () => {
  const { total } = await openCatalog();
  expect(await total({ search: 'drill' })).toBe(0);
});
