import type pg from 'pg';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { foldSlots } from '../../subgraphs/catalog/stats/service.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { sweeps } from '../../workflows/sweeps/sweeps.ts';
import { duringTransaction } from '../support/rival.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';
import { until } from '../support/until.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const COLOR = { color: { attributeName: 'Color', attributeType: 'text', value: 'red' } };
const INSERT = `insert into catalog.products (id, organization_id, sku, name, category, attributes)
  select gen_random_uuid(), $1, $2 || n, 'Lamp', 'Lamps', $3 from generate_series(1, 3) n`;

/** Connections that count in different slots. */
async function twoWriters(): Promise<[pg.PoolClient, pg.PoolClient]> {
  const one = await pool.connect();
  for (const tried: pg.PoolClient[] = []; ; ) {
    const other = await pool.connect();
    const { rows } = await other.query('select pg_backend_pid() % 15 <> $1::int % 15 as differs', [
      (await one.query('select pg_backend_pid() as pid')).rows[0].pid,
    ]);
    if (rows[0].differs) {
      for (const each of tried) each.release(true);
      return [one, other];
    }
    tried.push(other);
  }
}

test('slots are added up beside a writer, and every count stays right', async () => {
  const { id: organizationId, key } = await graph.seed();
  const { ask } = graph.caller(key);
  await ask('mutation { createAttribute(input: { name: "Color", slug: "color", type: text }) { id } }');
  const counts = async () => {
    const { catalogStats } = await ask('{ catalogStats { attributes { slug filled } completeness { products complete } } }');
    return [catalogStats.attributes[0].filled, catalogStats.completeness.products, catalogStats.completeness.complete];
  };
  const slots = async () => {
    const { rows } = await pool.query(
      `select kind as of, array_agg(slot > 0) as open from catalog.counters where organization_id = $1 and kind = 'value' group by kind, key
       union all select 'groups', array_agg(slot > 0) from catalog.filled_groups where organization_id = $1 group by category, shape order by 1`,
      [organizationId],
    );
    return rows;
  };
  const [one, other] = await twoWriters();
  try {
    await one.query(INSERT, [organizationId, 'one', COLOR]);
    await other.query('begin');
    await other.query(INSERT, [organizationId, 'other', COLOR]);
    await foldSlots(pool);
    expect(await counts()).toEqual([3, 3, 3]);
    expect(await slots()).toEqual([
      { of: 'groups', open: [false] },
      { of: 'value', open: [false] },
    ]);
    await other.query('commit');
    // The next slot of a connection whose slot was added up.
    await one.query(INSERT, [organizationId, 'third', COLOR]);
    await one.query(`delete from catalog.products where organization_id = $1 and sku = 'one1'`, [organizationId]);
    await Promise.all([foldSlots(pool), foldSlots(pool)]);
    expect(await counts()).toEqual([8, 8, 8]);
    expect((await slots()).map(({ open }) => open)).toEqual([[false], [false]]);
  } finally {
    one.release();
    other.release();
  }
});

test('groups that no product is in any more are forgotten, also beside a writer', async () => {
  const { id: organizationId, key } = await graph.seed();
  const groups = async () => {
    const { rows } = await pool.query(
      'select slugs, sum(count)::int as count from catalog.filled_groups where organization_id = $1 group by slugs order by slugs',
      [organizationId],
    );
    return rows;
  };
  const fill = (slugs: string[]) =>
    first.query('update catalog.products set attributes = $2 where organization_id = $1', [
      organizationId,
      Object.fromEntries(slugs.map((slug) => [slug, COLOR.color])),
    ]);
  const [first, writer] = await twoWriters();
  await first.query(INSERT, [organizationId, 'one', COLOR]);
  for (let at = 0; at < 5; at++) await fill([`a${at}`]);
  await foldSlots(pool);
  expect(await groups()).toEqual([{ slugs: ['a4'], count: 3 }]);
  await first.query('delete from catalog.products where organization_id = $1', [organizationId]);
  try {
    await writer.query('begin');
    await writer.query(INSERT, [organizationId, 'two', { a4: COLOR.color }]);
    await foldSlots(pool);
    expect(await groups()).toEqual([]);
    await writer.query('commit');
  } finally {
    first.release();
    writer.release();
  }
  await Promise.all([foldSlots(pool), foldSlots(pool)]);
  expect(await groups()).toEqual([{ slugs: ['a4'], count: 3 }]);
  const { catalogStats } = await graph.caller(key).ask('{ catalogStats { completeness { products } } }');
  expect(catalogStats.completeness.products).toBe(3);
});

test.each<[string, string]>([
  ['a new attribute', 'mutation { createAttribute(input: { name: "Size", slug: "size", type: text }) { id } }'],
  ['an attribute that becomes inactive', 'mutation ($id: ID!) { updateAttribute(id: $id, input: { isActive: false }) { id } }'],
  ['a deleted attribute', 'mutation ($id: ID!) { deleteAttribute(id: $id) { id } }'],
  ['the set of a category', 'mutation ($set: ID!) { setCategoryAttributeSet(category: "Lamps", attributeSetId: $set) { name } }'],
])('%s lets the next sweep refresh all groups, also if no product changes', async (_, change) => {
  const { id: organizationId, key } = await graph.seed();
  const { ask } = graph.caller(key);
  const CREATE = `mutation { createAttribute(input: { name: "Color", slug: "color", type: text }) { id } }`;
  const { id } = (await ask(CREATE)).createAttribute;
  const SET = `mutation ($ids: [ID!]!) { createAttributeSet(name: "S", attributeIds: $ids) { id } }`;
  const set = (await ask(SET, { ids: [id] })).createAttributeSet.id;
  for (const sku of ['a', 'b']) await pool.query(INSERT, [organizationId, sku, sku === 'a' ? COLOR : {}]);
  const stored = async () => {
    const { rows } = await pool.query(
      `select distinct expectations::text as hash, slot > 0 as "isOpen" from catalog.filled_groups where organization_id = $1`,
      [organizationId],
    );
    return rows;
  };
  await foldSlots(pool);
  const before = await stored();
  expect(before).toEqual([{ hash: expect.any(String), isOpen: false }]);
  await ask(change, change.includes('$set') ? { set } : change.includes('$id') ? { id } : {});
  await foldSlots(pool);
  const after = await stored();
  expect(after).toEqual([{ hash: expect.any(String), isOpen: false }]);
  expect(after).not.toEqual(before);
});

test('an organization can be deleted while its groups are added up', async () => {
  const { id: organizationId } = await graph.seed();
  await pool.query(INSERT, [organizationId, 'one', COLOR]);
  await foldSlots(pool);
  await pool.query(INSERT, [organizationId, 'two', COLOR]);
  const remove = () => pool.query('delete from identity.organizations where id = $1', [organizationId]);
  let folding: Promise<void>;
  let removing: Promise<unknown>;
  await duringTransaction(
    (rival) => rival.query('select from catalog.completeness_levels where organization_id = $1 for update', [organizationId]),
    () => (folding = foldSlots(pool)),
    async (rival) => {
      const { rows } = await rival.query('select pg_backend_pid() as pid');
      removing = remove();
      removing.catch(() => {});
      const WAITING = `select from pg_stat_activity where query like 'delete from identity.organizations%' and wait_event_type = 'Lock' and pid <> $1`;
      await until(async () => (await pool.query(WAITING, [rows[0].pid])).rows.length > 0);
    },
    pool,
  );
  await folding!;
  await removing!;
  const { rows } = await pool.query('select from catalog.filled_groups where organization_id = $1', [organizationId]);
  expect(rows).toEqual([]);
});

test('after the sweep, the report on acceptance reads each count once, however many connections wrote it', async () => {
  const { id: organizationId, key } = await graph.seed();
  await pool.query(
    `insert into catalog.counters (organization_id, kind, key, slot, count)
     select $1, kind, concat_ws(' ', 'budget-v1', score, 'attribute ' || a), slot, 2
       from unnest(array['open', 'written']) kind, generate_series(0, 100) score, generate_series(1, 5) a, generate_series(1, 15) slot`,
    [organizationId],
  );
  await pool.query('analyze catalog.counters');
  await sweeps['catalog-counts']!.run({ services: graph.services } as Parameters<(typeof sweeps)[string]['run']>[0]);
  const REPORT = '{ acceptanceReport(modelType: "budget-v1") { open attributes { slug open } } }';
  const { caller } = graph;
  const { rows } = await readBy(pool, async () => {
    const { acceptanceReport } = await caller(key).ask(REPORT);
    expect(acceptanceReport.open).toBe(5 * 101 * 15 * 2);
    expect(acceptanceReport.attributes[0]).toEqual({ slug: 'attribute 1', open: 101 * 15 * 2 });
  });
  expect(rows).toBeLessThan(1_100);
});
