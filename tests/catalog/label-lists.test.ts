import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';

const [PRODUCTS, CATEGORIES] = [20_000, 2_000];
const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;
const { id, key } = await graph.seed();
const { ask } = graph.caller(key);

/** Categories of three levels below ten on top, and as many brands. Triggers would take most of the time. */
beforeAll(async () => {
  const client = await pool.connect();
  await client.query('begin; set local session_replication_role = replica; set local statement_timeout = 0');
  await client.query(
    `insert into catalog.products (id, organization_id, sku, name, brand, category, created_at)
     select gen_random_uuid(), $1, 'SKU-' || n, 'Lamp ' || n, 'Brand ' || n % $3::int,
            'Top ' || n % 10 || ' > Middle ' || n % 100 || ' > Leaf ' || n % $3::int, now() - n * interval '1 minute'
       from generate_series(1, $2::int) n`,
    [id, PRODUCTS, CATEGORIES],
  );
  await client.query(
    `insert into catalog.labels (organization_id, subject, key, parent_key, name, product_count, total_count)
     select $1, s.subject, catalog.name_key(a.name), catalog.parent_key(s.subject, a.name), a.name, sum(a.own), count(*)
       from catalog.products p cross join lateral (values ('brand', p.brand), ('category', p.category)) s (subject, name)
       cross join lateral (select s.name, 1 as own union all select u, 0 from catalog.names_above(s.name) u where s.subject = 'category') a
      where p.organization_id = $1 group by s.subject, a.name`,
    [id],
  );
  await client.query('commit');
  client.release();
  await pool.query('vacuum analyze catalog.products, catalog.labels');
});

const rowsOf = async (text: string) => {
  await ask(text);
  return (await readBy(pool, () => ask(text))).rows;
};

test.each(['sortBy: name', 'sortBy: productCount, sortOrder: desc', 'sortBy: name, page: 3'])(
  'a page of brands or categories by %s reads the page and counts the list',
  async (order) => {
    for (const list of ['brands', 'categories'])
      expect(await rowsOf(`{ ${list}(${order}, limit: 20) { nodes { name productCount } pagination { total } } }`)).toBeLessThan(
        CATEGORIES + 300,
      );
  },
);

test('a search reads the names that match', async () => {
  expect(await rowsOf('{ categories(search: "leaf 1234", limit: 20) { nodes { name } } }')).toBeLessThan(50);
});

test('the categories on top, and those below one, are read without the others', async () => {
  expect(await rowsOf('{ categories(isTop: true) { nodes { name totalCount } pagination { total } } }')).toBeLessThan(50);
  const { categories } = await ask('{ categories(isTop: true) { nodes { id name totalCount } } }');
  expect(categories.nodes[0]).toMatchObject({ name: 'Top 0', totalCount: PRODUCTS / 10 });
  const level = `{ categories(parentId: "${categories.nodes[0].id}", limit: 5) { nodes { name } pagination { total } } }`;
  expect(await rowsOf(level)).toBeLessThan(50);
  expect((await ask(level)).categories.pagination.total).toBe(10);
});

test('the categories above and below those of a page are read together', async () => {
  const text =
    '{ categories(search: "middle 1 > leaf", limit: 2) { nodes { name ancestors { name } children { nodes { name } } } } }';
  expect((await ask(text)).categories.nodes[0].ancestors).toEqual([{ name: 'Top 1' }, { name: 'Top 1 > Middle 1' }]);
  expect(await rowsOf(text)).toBeLessThan(300);
});

test('products below a category are found by its index, up to 2,000 of them, and a page of these is read', async () => {
  const list = (category: string) => `{ products(filter: { categoryBelow: "${category}" }, limit: 20) { nodes { sku category } } }`;
  expect((await ask(list('Top 3 > Middle 3'))).products.nodes).toHaveLength(20);
  // It has 20 categories with ten products each. The second read is that of the page.
  expect(await rowsOf(list('Top 3 > Middle 3'))).toBeLessThan(800);
  // The ids are read twice, to count them and to use them, and then sorted for the page.
  expect(await rowsOf(list('Top 3'))).toBeLessThan(3 * (PRODUCTS / 10) + 1_000);
});

test('the pages of a rename read no more than they move', async () => {
  const { category } = await ask('{ category(name: "Top 7 > Middle 7") { id } }');
  const rename = 'mutation ($id: ID!) { renameCategory(id: $id, name: "Top 7 > Seven") { name totalCount move { total } } }';
  expect((await ask(rename, { id: category.id })).renameCategory).toEqual({
    ...{ name: 'Top 7 > Seven', totalCount: PRODUCTS / 100, move: null },
  });
  expect((await ask('{ category(name: "Top 7") { totalCount } }')).category.totalCount).toBe(PRODUCTS / 10);
});
