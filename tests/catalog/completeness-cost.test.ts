import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
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
