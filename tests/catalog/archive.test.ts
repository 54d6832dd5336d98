import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';
import { unknownId } from './catalog.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const value = (text: string) => ({ color: { attributeType: 'text', value: text } });

/** An organization with an active attribute, and its catalog. */
async function open() {
  const { id: organizationId, key } = await graph.seed();
  const { ask, refusal } = graph.caller(key);
  await ask(`mutation { createAttribute(input: { name: "Color", slug: "color", type: text }) { id } }`);
  const skus = (nodes: { sku: string }[]) => nodes.map(({ sku }) => sku);
  return {
    organizationId,
    ask,
    refusal,
    async create(sku: string, more: object = {}): Promise<string> {
      const CREATE = 'mutation ($input: NewProduct!) { createProduct(input: $input) { id } }';
      return (await ask(CREATE, { input: { sku, name: `Lamp ${sku}`, brand: 'Norrvik', category: 'Lamps', ...more } }))
        .createProduct.id;
    },
    archive: async (...ids: string[]) =>
      (await ask('mutation ($ids: [ID!]!) { archiveProducts(ids: $ids) { changed } }', { ids })).archiveProducts.changed,
    unarchive: async (...ids: string[]) =>
      (await ask('mutation ($ids: [ID!]!) { unarchiveProducts(ids: $ids) { changed } }', { ids })).unarchiveProducts.changed,
    list: async (filter: object = {}, more = '') => {
      const LIST = `query ($filter: ProductFilter) { products(filter: $filter, orderBy: sku, sortOrder: asc, limit: 100 ${more}) { nodes { sku } pagination { total } } }`;
      const { products } = await ask(LIST, { filter });
      expect(products.pagination.total).toBe(products.nodes.length);
      return skus(products.nodes);
    },
    found: async (query: string) =>
      skus((await ask('query ($query: String!) { searchProducts(query: $query) { sku } }', { query })).searchProducts),
  };
}

test('lists, searches and counts leave archived products out, and reads by key find them', async () => {
  const { ask, create, archive, unarchive, list, found } = await open();
  const [a, b] = [await create('A', { attributes: value('red') }), await create('B')];
  const numbers = () => ask('{ catalogStats { products completeness { products percent } } }');
  const before = await numbers();
  expect(await archive(a)).toBe(1);
  expect(await archive(a)).toBe(0);
  for (const filter of [{}, { brand: 'norrvik' }, { category: 'Lamps' }, { ids: [a, b] }, { completenessBelow: 100 }])
    expect(await list(filter)).toEqual(['B']);
  for (const filter of [
    { archived: true },
    { archived: true, brand: 'norrvik' },
    { archived: true, attribute: { slug: 'color', value: 'red' } },
  ])
    expect(await list(filter)).toEqual(['A']);
  expect(await list({}, ', search: "Lamp"')).toEqual(['B']);
  expect([await found('lamp'), await found('A')]).toEqual([['B'], []]);
  expect(await numbers()).toMatchObject({ catalogStats: { products: 1, completeness: { products: 1, percent: 0 } } });
  expect(await ask('query ($id: ID) { product(id: $id) { sku archived completeness { percent } } }', { id: a })).toEqual({
    product: { sku: 'A', archived: true, completeness: { percent: 100 } },
  });
  expect(await ask('{ product(sku: "A") { archived } }')).toEqual({ product: { archived: true } });
  expect(await unarchive(a, b)).toBe(1);
  expect(await list()).toEqual(['A', 'B']);
  expect(await numbers()).toEqual(before);
});

test('deep pages of every order leave archived products out', async () => {
  const { organizationId, ask } = await open();
  await pool.query(
    `insert into catalog.products (id, organization_id, sku, name, archived) select gen_random_uuid(), $1, lpad(n::text, 5, '0'), 'N', n % 2 = 0
       from generate_series(1, 5000) n`,
    [organizationId],
  );
  const LIST = `query ($page: Int) { products(orderBy: sku, sortOrder: asc, limit: 100, page: $page) { nodes { sku } pagination { total } } }`;
  for (const page of [1, 25]) {
    const { products } = await ask(LIST, { page });
    expect(products.pagination.total).toBe(2_500);
    expect(products.nodes[0].sku).toBe(String((page - 1) * 200 + 1).padStart(5, '0'));
    expect(products.nodes.at(-1).sku).toBe(String(page * 200 - 1).padStart(5, '0'));
  }
  await pool.query(`update catalog.products set archived = false where organization_id = $1 and sku <= '00100'`, [organizationId]);
  const { products } = await ask(LIST, { page: 26 });
  expect([products.nodes.length, products.pagination.total]).toEqual([50, 2_550]);
});

test('the feed shows the flag, and a deleted product keeps it', async () => {
  const { ask, create, archive } = await open();
  const id = await create('A');
  const FEED =
    'query ($after: String) { catalogChanges(after: $after) { cursor changes { recordId deleted product { archived } } } }';
  const { cursor } = (await ask(FEED)).catalogChanges;
  await archive(id);
  expect((await ask(FEED, { after: cursor })).catalogChanges.changes).toEqual([
    { recordId: id, deleted: false, product: { archived: true } },
  ]);
  await ask('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id });
  await ask('mutation ($ids: [ID!]!) { restoreProducts(ids: $ids) { ids } }', { ids: [id] });
  expect(await ask('query ($id: ID) { product(id: $id) { archived } }', { id })).toEqual({ product: { archived: true } });
});

test('one unknown product, or one of another organization, refuses all', async () => {
  const [one, two] = [await open(), await open()];
  const [mine, theirs] = [await one.create('A'), await two.create('A')];
  for (const name of ['archiveProducts', 'unarchiveProducts'])
    for (const id of [theirs, unknownId, 'x'])
      expect(await one.refusal(`mutation ($ids: [ID!]!) { ${name}(ids: $ids) { changed } }`, { ids: [mine, id] })).toBe(
        'NOT_FOUND: Product not found',
      );
  expect([await one.list(), await two.list()]).toEqual([['A'], ['A']]);
});
