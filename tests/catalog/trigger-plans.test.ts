import pg from 'pg';
import { createDatabase } from '../support/database.ts';
import { database, seedOrganization } from '../support/seed.ts';

const PRODUCTS = 6_000;
/** The tables that triggers of products read besides the products of the statement. */
const TABLES = ['products', 'examples', 'example_terms', 'labels', 'product_counts', 'counters', 'proposals'];

const own = await createDatabase();
const { id: organizationId } = await seedOrganization({ databaseUrl: own.url });
const client = new pg.Client({ connectionString: own.url });
beforeAll(() => client.connect());
afterAll(async () => {
  await client.end();
  await database(own.url).end();
  await own.drop();
});

/** Products with accepted values, each with a brand of its own. */
const insert = (from: number, to: number) =>
  client.query(`
    insert into catalog.products (id, organization_id, sku, name, brand, category, attributes, provenance, user_provided_raw_data_sources)
    select md5('${organizationId}' || n)::uuid, '${organizationId}', 's' || n, 'Lamp number ' || n, 'Brand ' || n, 'Lamps',
           '{"color": {"attributeName": "Color", "attributeType": "text", "value": "red"}}', '{}', array['Steel lamp ' || n]
      from generate_series(${from}, ${to}) n`);
const remove = (from: number, to: number) =>
  client.query(
    `delete from catalog.products where sku in (select 's' || n from generate_series(${from}, ${to}) n) and organization_id = '${organizationId}'`,
  );

/** Milliseconds of a statement. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

/** Milliseconds in which all products were inserted. */
let inserting: number;

/** Rows that this transaction has read. */
async function scanned(): Promise<Record<string, number>> {
  const { rows } = await client.query<{ relname: string; rows: number }>(
    `select relname, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables where schemaname = 'catalog' and relname = any($1)`,
    [TABLES],
  );
  return Object.fromEntries(rows.map(({ relname, rows }) => [relname, rows]));
}

test('a change of many products does not make the next change of one on its connection read all rows', async () => {
  inserting = await timeOf(() => insert(1, PRODUCTS));
  await client.query('analyze');
  await remove(1, PRODUCTS / 2);
  await insert(1, PRODUCTS / 2);
  // Otherwise the counters of the transaction include those of the last second.
  await client.query('select pg_stat_force_next_flush()');
  await client.query('begin');
  await client.query(`delete from catalog.products where id = md5('${organizationId}' || ${PRODUCTS})::uuid`);
  const afterDelete = await scanned();
  expect(Object.entries(afterDelete).filter(([, rows]) => rows > 100)).toEqual([]);
  await insert(PRODUCTS, PRODUCTS);
  const afterInsert = await scanned();
  expect(Object.entries(afterInsert).filter(([, rows]) => rows > 100)).toEqual([]);
  await client.query('commit');
});

test('a change of one product does not make the next change of many on its connection compare all with all', async () => {
  const change = (condition: string) =>
    client.query(`update catalog.products set mpn = 'M-1' where organization_id = '${organizationId}' and ${condition}`);
  await change(`sku = 's1'`);
  // As long as 50 times inserting them, where five triggers compared all with all.
  expect(await timeOf(() => change('true'))).toBeLessThan(5 * inserting);
});

test('counts, labels and examples stay right', async () => {
  // The plans were made for one product. A join that compares all with all took 80 seconds, many times as long as inserting them.
  expect(await timeOf(() => remove(2, PRODUCTS))).toBeLessThan(5 * inserting);
  const ask = async (statement: string) => (await client.query(statement)).rows;
  expect(await ask('select product_id from catalog.examples')).toHaveLength(1);
  expect(await ask('select distinct product_id from catalog.example_terms')).toHaveLength(1);
  expect(await ask('select subject, name from catalog.labels where product_count <> 0 order by 1')).toEqual([
    { subject: 'brand', name: 'Brand 1' },
    { subject: 'category', name: 'Lamps' },
  ]);
  expect(await ask('select sum(count)::int as count from catalog.product_counts')).toEqual([{ count: 1 }]);
});
