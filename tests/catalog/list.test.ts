import { anId, aTime, type Catalog, invalid, ok, openCatalog } from './catalog.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openCatalog();
  const brands = ['Torvik', null, 'Åsen', 'torvik'];
  const products = Array.from({ length: 23 }, (_, n) => ({
    sku: `S-${(n * 7) % 23}`,
    name: `Product ${(n * 5) % 23}`,
    manufacturer: n % 3 ? `Maker ${n % 4}` : null,
    brand: brands[n % 4],
    category: 'Tools',
    isParent: n % 5 === 0,
  }));
  await catalog.post('/products/bulk-create', { products });
});

const get = async (body: object) => (await catalog.post('/products/get', body)).body.data;

test('a page has exactly the documented fields', async () => {
  const { body } = await catalog.post('/products/get', { limit: 1, sortBy: 'sku', sortOrder: 'asc' });
  const text = { manufacturer: null, brand: 'Torvik', category: 'Tools', parentId: null, parentName: null };
  const product = { id: anId, sku: 'S-0', name: 'Product 0', ...text, isParent: true, createdAt: aTime };
  expect({ status: 200, body }).toEqual(ok({ products: [product], pagination: { page: 1, limit: 1, total: 23, totalPages: 23 } }));
});

test('without a body the ten newest are listed', async () => {
  const { products, pagination } = await get({});
  expect(pagination).toEqual({ page: 1, limit: 10, total: 23, totalPages: 3 });
  const whole = await get({
    sortBy: 'createdAt',
    sortOrder: 'desc',
    parentFilter: 'all',
    enrichedFilter: 'all',
    search: '',
    limit: 100,
  });
  expect(products).toEqual(whole.products.slice(0, 10));
});

test('the pages together equal the list', async () => {
  const whole = (await get({ limit: 100 })).products;
  const pages = await Promise.all([1, 2, 3, 4].map(async (page) => (await get({ page, limit: 7 })).products));
  expect(pages.flat()).toEqual(whole);
});

test('a page beyond the end is empty', async () => {
  expect(await get({ page: 4 })).toEqual({ products: [], pagination: { page: 4, limit: 10, total: 23, totalPages: 3 } });
  expect((await get({ page: 2_147_483_647, limit: 100 })).products).toEqual([]);
});

test.each(['sku', 'name', 'manufacturer', 'brand', 'createdAt'])('sorted by %s, in both orders', async (sortBy) => {
  const up = (await get({ sortBy, sortOrder: 'asc', limit: 100 })).products;
  const down = (await get({ sortBy, sortOrder: 'desc', limit: 100 })).products;
  const values = up.map((each: Record<string, string | null>) => each[sortBy]).filter((value: unknown) => value !== null);
  expect(values).toEqual(values.toSorted());
  expect(values.length).toBeGreaterThan(10);
  expect(down).toEqual(up.toReversed());
});

test('equal values have a stable order across pages', async () => {
  const pages = await Promise.all(
    [1, 2, 3].map(async (page) => (await get({ page, limit: 9, sortBy: 'brand', sortOrder: 'asc' })).products),
  );
  expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(23);
});

test('filtered by grouping', async () => {
  const [all, parents, others] = await Promise.all(
    ['all', 'parent', 'non-parent'].map((parentFilter) => get({ parentFilter, limit: 100 })),
  );
  expect(all.pagination.total).toBe(23);
  expect(parents.products.map((each: { isParent: boolean }) => each.isParent)).toEqual(Array(5).fill(true));
  expect(others.products.map((each: { isParent: boolean }) => each.isParent)).toEqual(Array(18).fill(false));
  expect([parents.pagination.total, others.pagination.total]).toEqual([5, 18]);
});

test.each([
  [{ page: 0 }, 'page must be at least 1'],
  [{ page: -1 }, 'page must be at least 1'],
  [{ page: 1.5 }, 'page must be an integer'],
  [{ page: '1' }, 'page must be an integer'],
  [{ page: null }, 'page must not be null'],
  [{ page: 2_147_483_648 }, 'page must be an integer between -2147483648 and 2147483647'],
  [{ limit: 0 }, 'limit must be at least 1'],
  [{ limit: 101 }, 'limit must be at most 100'],
  [{ limit: -5 }, 'limit must be at least 1'],
  [{ search: 5 }, 'search must be a string'],
  [{ sortBy: 'mpn' }, 'sortBy must be one of sku, name, manufacturer, brand, createdAt'],
  [{ sortOrder: 'ASC' }, 'sortOrder must be one of asc, desc'],
  [{ parentFilter: 'variants' }, 'parentFilter must be one of all, parent, non-parent'],
  [{ enrichedFilter: true }, 'enrichedFilter must be one of all, enriched, not-enriched'],
])('%j is rejected: %s', async (body, fault) => {
  expect(await catalog.post('/products/get', body)).toEqual(invalid(fault));
});
