import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { foldSlots } from '../../subgraphs/catalog/stats/service.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const LIST = `query ($filter: ProductFilter, $page: Int) { products(filter: $filter, page: $page, orderBy: sku, sortOrder: asc, limit: 50) {
  nodes { sku } pagination { total } } }`;

async function open() {
  const { id: organizationId, key } = await graph.seed();
  const { ask } = graph.caller(key);
  const text = (value: unknown) => ({ attributeType: Array.isArray(value) ? 'multiselect' : 'text', value });
  return {
    organizationId,
    ask,
    create: (sku: string, { attributes = {}, ...more }: Record<string, unknown> = {}) =>
      ask('mutation ($input: NewProduct!) { createProduct(input: $input) { id } }', {
        input: {
          ...{ sku, name: sku, ...more },
          attributes: Object.fromEntries(Object.entries(attributes as object).map(([slug, value]) => [slug, text(value)])),
        },
      }),
    async find(filter: object): Promise<string[]> {
      const { nodes, pagination } = (await ask(LIST, { filter })).products;
      expect(pagination.total).toBe(nodes.length);
      return nodes.map(({ sku }: { sku: string }) => sku);
    },
  };
}

test('a category finds those below it, by its path', async () => {
  const { create, find, ask } = await open();
  const categories = {
    A: 'Möbel',
    B: 'Möbel > Stühle',
    C: 'möbel > stühle > Büro',
    D: 'Möbelstoffe',
    E: 'Garten > Möbel',
    F: 'Möbel>Tische',
    G: '100% > _x',
    H: '100 > x',
    I: 'Regal >> Metall',
    J: 'Regal',
    K: 'möbel>stühle',
  };
  for (const [sku, category] of Object.entries(categories)) await create(sku, { category });
  await create('NONE');
  expect(await find({ categoryBelow: 'Möbel' })).toEqual(['A', 'B', 'C', 'F', 'K']);
  expect(await find({ categoryBelow: ' MÖBEL > STÜHLE > ' })).toEqual(['B', 'C']);
  expect(await find({ categoryBelow: 'Möbel > Stüh' })).toEqual([]);
  expect(await find({ categoryBelow: '100%' })).toEqual(['G']);
  expect(await find({ categoryBelow: '_' })).toEqual([]);
  // A name with an empty level is on top of the tree.
  expect(await find({ categoryBelow: 'Regal' })).toEqual(['J']);
  expect(await find({ categoryBelow: 'Möbel>Stühle' })).toEqual(['B', 'C', 'K']);
  const { id } = (await ask('{ product(sku: "B") { id } }')).product;
  await ask('mutation ($ids: [ID!]!) { archiveProducts(ids: $ids) { changed } }', { ids: [id] });
  expect(await find({ categoryBelow: 'Möbel > Stühle' })).toEqual(['C']);
  expect(await find({ categoryBelow: 'Möbel', archived: true })).toEqual(['B']);
});

test('words are found in any order, in name or SKU, each as a part of a word', async () => {
  const { create, find } = await open();
  await create('LMP-100', { name: 'Oak desk lamp' });
  await create('LMP-200', { name: 'Steel floor lamp' });
  await create('CH-1', { name: 'Oak chair 100%' });
  expect(await find({ words: 'lamp oak' })).toEqual(['LMP-100']);
  expect(await find({ words: 'lmp-100 LAMP' })).toEqual(['LMP-100']);
  expect(await find({ words: '  floo   steel ' })).toEqual(['LMP-200']);
  expect(await find({ words: 'oak steel' })).toEqual([]);
  expect(await find({ words: '100%' })).toEqual(['CH-1']);
  expect(await find({ words: ' ' })).toEqual(['CH-1', 'LMP-100', 'LMP-200']);
});

test('several attribute values must all be there', async () => {
  const { create, find } = await open();
  await create('A', { attributes: { color: 'Red', room: ['Hall', 'Bath'] } });
  await create('B', { attributes: { color: 'red', room: ['Hall'] } });
  await create('C', { attributes: { color: 'blue', room: ['Hall'] } });
  const values = (...pairs: [string, string][]) => ({ attributes: pairs.map(([slug, value]) => ({ slug, value })) });
  expect(await find(values(['color', 'RED']))).toEqual(['A', 'B']);
  expect(await find(values(['color', 'red'], ['room', 'bath']))).toEqual(['A']);
  expect(await find({ ...values(['room', 'Hall']), attribute: { slug: 'color', value: 'blue' } })).toEqual(['C']);
  expect(await find(values(['color', 'red'], ['color', 'blue']))).toEqual([]);
  expect(await find({ attributes: [] })).toEqual(['A', 'B', 'C']);
});

test('each filter reads few of many products', async () => {
  const { organizationId, ask } = await open();
  const client = await pool.connect();
  await client.query(`begin; set local session_replication_role = replica; set local statement_timeout = 0`);
  await client.query(
    `insert into catalog.products (id, organization_id, sku, name, category, attributes)
     select gen_random_uuid(), $1, 'SKU-' || lpad(n::text, 6, '0'), 'Lamp ' || n % 977 || ' oak' || n % 89, 'Home > ' || n % 400 || ' > ' || n % 7,
            jsonb_build_object('color', jsonb_build_object('attributeType', 'text', 'value', 'c' || n % 997),
                               'room', jsonb_build_object('attributeType', 'text', 'value', 'r' || n % 13))
       from generate_series(1, 20000) n`,
    [organizationId],
  );
  await client.query(
    `insert into catalog.labels (organization_id, subject, key, parent_key, name, product_count, total_count)
     select organization_id, 'category', catalog.name_key(category), catalog.parent_key('category', category), category, count(*), count(*)
       from catalog.products where organization_id = $1 group by organization_id, category`,
    [organizationId],
  );
  // As the triggers do.
  await client.query(
    `insert into catalog.filled_groups (organization_id, category, shape, slot, slugs, count)
     select organization_id, catalog.category_of(category), shape, 1, catalog.filled(attributes), count(*)
       from catalog.products where organization_id = $1 group by 1, 2, 3, 5`,
    [organizationId],
  );
  await client.query('commit');
  client.release();
  await foldSlots(pool);
  await pool.query('vacuum analyze catalog.products');
  await pool.query('vacuum analyze catalog.labels');
  const filters = [
    { categoryBelow: 'Home > 77' },
    { words: 'lamp SKU-000123' },
    {
      attributes: [
        { slug: 'color', value: 'c5' },
        { slug: 'room', value: 'r5' },
      ],
    },
  ];
  for (const filter of filters) {
    const { rows } = await readBy(pool, async () => expect((await ask(LIST, { filter })).products.nodes.length).toBeGreaterThan(0));
    expect([filter, rows < 4_000]).toEqual([filter, true]);
  }
  const PREVIEW = `query ($selection: ProductSelection!) { productEditPreview(
    selection: $selection, edits: [{ field: uom, action: set, value: "pc" }]) { products } }`;
  for (const filter of [filters[0], filters[2]]) {
    const { rows } = await readBy(pool, async () =>
      expect((await ask(PREVIEW, { selection: { filter } })).productEditPreview.products).toBeGreaterThan(0),
    );
    expect([filter, rows < 4_000]).toEqual([filter, true]);
  }
});
