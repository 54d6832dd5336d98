import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { foldSlots } from '../../subgraphs/catalog/stats/service.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

/** Milliseconds of the completeness of 200 groups of products that have most of the attributes. */
async function timeWith(attributes: number): Promise<number> {
  const { id, key } = await graph.seed();
  await pool.query(
    `insert into catalog.attributes (id, organization_id, slug, name, type, subject)
     select gen_random_uuid(), $1, 'a' || n, 'A' || n, 'text', 'product' from generate_series(1, $2::int) n`,
    [id, attributes],
  );
  await pool.query(
    `insert into catalog.filled_groups (organization_id, category, shape, slot, slugs, count)
     select $1, catalog.category_of('Lamps'), catalog.shape_of(slugs), 1, slugs, 1
       from generate_series(1, 200) missing cross join lateral (
         select array_agg('a' || n order by ('a' || n) collate "C") as slugs from generate_series(1, $2::int) n where n <> missing) s`,
    [id, attributes],
  );
  const { ask } = graph.caller(key);
  const times: number[] = [];
  for (let n = 0; n < 3; n++) {
    const start = performance.now();
    const { catalogStats } = await ask('{ catalogStats { completeness { products } } }');
    times.push(performance.now() - start);
    expect(catalogStats.completeness.products).toBe(200);
  }
  return Math.min(...times);
}

test('ten times the attributes do not take a hundred times as long', async () => {
  const few = await timeWith(200);
  expect(await timeWith(2_000)).toBeLessThan(25 * few);
});

/** Milliseconds of a list of the incomplete products of this many groups. */
async function timeOf(groups: number): Promise<number> {
  const { id, key } = await graph.seed();
  const { ask } = graph.caller(key);
  await ask('mutation { createAttribute(input: { name: "Color", slug: "color", type: text }) { id } }');
  await pool.query(
    `insert into catalog.filled_groups (organization_id, category, shape, slot, slugs, count)
     select $1, catalog.category_of('Lamps'), n, 1, '{}', 1 from generate_series(1, $2::int) n`,
    [id, groups],
  );
  const times: number[] = [];
  for (let n = 0; n < 3; n++) {
    const start = performance.now();
    await ask(`{ products(filter: { completenessBelow: ${n + 40} }) { nodes { sku } } }`);
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

test('ten times the groups do not take a hundred times as long before PostgreSQL has statistics of them', async () => {
  await pool.query('alter table catalog.filled_groups set (autovacuum_enabled = false)');
  for (let n = 0; n < 20; n++) await timeOf(5);
  await pool.query('analyze catalog.filled_groups');
  const few = await timeOf(1_500);
  expect(await timeOf(15_000)).toBeLessThan(25 * few);
});

test('filters find the group of each product by its key, also with statistics of a much smaller catalog', async () => {
  const { id, key } = await graph.seed();
  const { ask } = graph.caller(key);
  await pool.query(
    `insert into catalog.attributes (id, organization_id, slug, name, type, subject)
     select gen_random_uuid(), $1, 'a' || n, 'A' || n, 'text', 'product' from generate_series(1, 60) n`,
    [id],
  );
  const insert = (from: number, to: number) =>
    pool.query(
      `insert into catalog.products (id, organization_id, sku, name, brand, category, attributes)
       select gen_random_uuid(), $1, 'S' || n, 'Lamp', 'Brand ' || n % 2, case when n > 50 then 'Category ' || n / 60 end,
              (select coalesce(jsonb_object_agg('a' || k, '{"attributeType":"text","value":"x"}'::jsonb), '{}') from generate_series(1, case when n > 50 then n % 60 end) k)
         from generate_series($2::int, $3::int) n`,
      [id, from, to],
    );
  const tables = ['products', 'filled_groups', 'completeness_levels'].map((table) => `catalog.${table}`);
  for (const table of tables) await pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
  await insert(1, 50);
  await pool.query(`analyze ${tables.join(', ')}`);
  await insert(51, 3_000);
  await foldSlots(pool);
  await insert(3_001, 4_000);
  for (const args of [
    'filter: { completenessBelow: 90, brand: "Brand 1" }',
    'filter: { completenessBelow: 90, brand: "Brand 1" }, orderBy: completeness, sortOrder: asc',
    'filter: { completenessBelow: 99 }, orderBy: completeness, sortOrder: desc, page: 2',
  ]) {
    const { blocks } = await readBy(pool, () => ask(`{ products(${args}) { nodes { sku } pagination { total } } }`));
    expect(blocks).toBeLessThan(40_000);
  }
});
