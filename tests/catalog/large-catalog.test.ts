import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';

const [LARGE, SMALL] = [10_000, 200];
const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;
const [large, small] = [await graph.seed(), await graph.seed()];
const [asLarge, asSmall] = [graph.caller(large.key), graph.caller(small.key)];

/** One in ten products has no brand. The organizations have the same SKUs and words. Triggers would take most of the time. */
const insert = async (organizationId: string, count: number) => {
  const client = await pool.connect();
  await client.query(`begin; set local session_replication_role = replica; set local statement_timeout = 0`);
  await client.query(
    `insert into catalog.products (id, organization_id, sku, name, brand, manufacturer, external_id, is_parent, enriched, created_at)
     select gen_random_uuid(), $1, 'SKU-' || lpad(n::text, 6, '0'), (array['Lamp','Chair','Table','Drill'])[n % 4 + 1] || ' ' || n % 977,
            case when n % 10 > 0 then 'Brand ' || n % 7 end, 'Maker ' || n % 3, 'erp-' || n, n % 5 = 0, n % 3 = 0, now() - n * interval '1 minute'
       from generate_series(1, $2::int) n`,
    [organizationId, count],
  );
  await client.query(
    `insert into catalog.product_counts (organization_id, is_parent, enriched, count)
     select organization_id, is_parent, enriched, count(*) from catalog.products where organization_id = $1 group by 1, 2, 3`,
    [organizationId],
  );
  await client.query('commit');
  client.release();
};

beforeAll(async () => {
  await insert(large.id, LARGE);
  await insert(small.id, SMALL);
  await pool.query('vacuum analyze catalog.products');
});

const list = (args: string, fields = 'pagination { total }') => `{ products(${args}) { nodes { id sku } ${fields} } }`;

describe('plans', () => {
  test('a search of a SKU reads the entries of its organization', async () => {
    for (const caller of [asLarge, asSmall]) {
      const text = list('search: "SKU-000042"');
      const { rows, blocks } = await readBy(pool, async () => expect((await caller.ask(text)).products.nodes).toHaveLength(1));
      expect(rows).toBeLessThan(600);
      expect(blocks).toBeLessThan(200);
    }
  });

  test.each(['sku', 'externalId'])('the product of a %s is the best match, read by its own index', async (key) => {
    const text = `{ searchProducts(query: "${key === 'sku' ? 'SKU-000042' : 'erp-42'}", limit: 1) { sku } }`;
    const { rows } = await readBy(pool, async () =>
      expect((await asLarge.ask(text)).searchProducts).toEqual([{ sku: 'SKU-000042' }]),
    );
    expect(rows).toBeLessThan(600);
  });

  test.each(
    ['createdAt', 'sku', 'name', 'manufacturer', 'brand'].flatMap((sort) => [
      [sort, 'asc', 500],
      [sort, 'asc', 1_000],
      [sort, 'desc', 500],
    ]),
  )('a page by %s %s at %i reads a part of the order', async (sort, order, page) => {
    const text = list(`sortBy: ${sort}, sortOrder: ${order}, page: ${page}`);
    await asLarge.ask(text);
    const { rows, blocks } = await readBy(pool, async () => expect((await asLarge.ask(text)).products.nodes).toHaveLength(10));
    expect(rows).toBeLessThan(1_500);
    expect(blocks).toBeLessThan(1_500);
  });

  test('a page by cursor behind the products with a brand reads one page', async () => {
    const page = list('sortBy: brand, sortOrder: asc, page: 905', 'endCursor');
    const { endCursor } = (await asLarge.ask(page)).products;
    const { rows } = await readBy(pool, async () => {
      const { nodes } = (await asLarge.ask(list(`sortBy: brand, sortOrder: asc, after: "${endCursor}"`, 'endCursor'))).products;
      expect(nodes).toHaveLength(10);
    });
    expect(rows).toBeLessThan(50);
  });

  test('a search with many hits is counted once until the catalog changes', async () => {
    const text = list('search: "lamp"');
    const totals = async () => (await asLarge.ask(text)).products.pagination.total;
    expect(await totals()).toBe(LARGE / 4);
    const { rows } = await readBy(pool, async () => expect(await totals()).toBe(LARGE / 4));
    expect(rows).toBeLessThan(1_000);
    await pool.query(`update catalog.products set name = 'Other' where organization_id = $1 and sku = 'SKU-000004'`, [large.id]);
    expect(await totals()).toBe(LARGE / 4 - 1);
  });

  test('a search with some hits is read once until its hits or their order change', async () => {
    const sorts = ['createdAt', 'sku', 'name', 'manufacturer', 'brand', 'updatedAt'];
    const columns: Record<string, string> = { createdAt: 'created_at', updatedAt: 'updated_at' };
    const expectHits = async () => {
      for (const sort of sorts) {
        const { rows } = await pool.query(
          `select id from catalog.products where organization_id = $1 and name ilike '%lamp 12%' order by ${columns[sort] ?? sort} desc, id desc`,
          [large.id],
        );
        const shown = [];
        for (let page = 1; page <= 4; page += 1) {
          const { nodes, pagination } = (
            await asLarge.ask(list(`search: "lamp 12", orderBy: ${sort}, sortOrder: desc, page: ${page}`))
          ).products;
          expect(pagination).toEqual({ total: rows.length });
          shown.push(...nodes.map(({ id }: { id: string }) => id));
        }
        expect(shown).toEqual(rows.map(({ id }) => id).slice(0, 40));
      }
      return shown(await asLarge.ask(list('search: "lamp 12", orderBy: manufacturer, sortOrder: desc, limit: 100')));
    };
    const shown = ({ products }: { products: { nodes: { id: string }[] } }) => products.nodes.map(({ id }) => id);
    const hits = await expectHits();
    expect(hits.length).toBeGreaterThan(20);
    const { rows } = await readBy(pool, () => asLarge.ask(list('search: "lamp 12", orderBy: manufacturer, sortOrder: desc')));
    expect(rows).toBeLessThan(100);

    const change = (assignment: string, id: string | undefined) =>
      pool.query(`update catalog.products set ${assignment} where id = $1`, [id]);
    await change(`manufacturer = 'Zelkova'`, hits.at(-1));
    expect(await expectHits()).toEqual([hits.at(-1), ...hits.slice(0, -1)]);
    await change(`name = 'Other'`, hits.at(-1));
    expect(await expectHits()).toEqual(hits.slice(0, -1));
    await pool.query('delete from catalog.products where id = $1', [hits[0]]);
    expect(await expectHits()).toEqual(hits.slice(1, -1));
    // An `after` continues the same order.
    const first = (await asLarge.ask(list('search: "lamp 12", sortBy: sku, limit: 15', 'endCursor'))).products;
    const rest = await asLarge.ask(list(`search: "lamp 12", sortBy: sku, limit: 100, after: "${first.endCursor}"`));
    expect(shown(rest)).toEqual(shown(await asLarge.ask(list('search: "lamp 12", sortBy: sku, limit: 100'))).slice(15));
  });
});

describe('pages far from the start', () => {
  const ORDERS = ['createdAt', 'sku', 'name', 'manufacturer', 'brand'].flatMap((sort) =>
    ['asc', 'desc'].map((order) => [sort, order] as const),
  );
  const FILTERS = {
    '': 'true',
    'parentFilter: "non-parent"': 'not is_parent',
    'enrichedFilter: "not-enriched"': 'not enriched',
    'parentFilter: "non-parent", enrichedFilter: "not-enriched"': 'not is_parent and not enriched',
  };

  /** Compares pages of each order with SQL, each order with one of the filters. */
  async function expectPages(organizationId: string, caller: typeof asLarge): Promise<void> {
    for (const [turn, [sort, order]] of ORDERS.entries()) {
      const [filter, condition] = Object.entries(FILTERS)[turn % 4]!;
      const column = sort === 'createdAt' ? 'created_at' : sort;
      const { rows } = await pool.query(
        `select id from catalog.products where organization_id = $1 and ${condition} order by ${column} ${order}, id ${order}`,
        [organizationId],
      );
      const ids = rows.map(({ id }) => id);
      const last = Math.ceil(ids.length / 100);
      expect(last).toBeGreaterThan(20);
      for (const page of [21, Math.ceil((last + 21) / 2), last, last + 1]) {
        const text = list(`sortBy: ${sort}, sortOrder: ${order}, page: ${page}, limit: 100 ${filter}`);
        const { nodes, pagination } = (await caller.ask(text)).products;
        expect(nodes.map(({ id }: { id: string }) => id)).toEqual(ids.slice((page - 1) * 100, page * 100));
        expect(pagination.total).toBe(ids.length);
      }
    }
  }

  /** Compares each run with the products between its bounds. */
  const wrongRuns = (organizationId: string) =>
    pool.query(
      `with keyed as (
         select s.sort, s.missing, s.key, p.id, p.is_parent, p.enriched from catalog.products p cross join lateral (values
           ('created_at', false, to_char(p.created_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US')), ('sku', false, p.sku), ('name', false, p.name),
           ('manufacturer', p.manufacturer is null, coalesce(p.manufacturer, '')), ('brand', p.brand is null, coalesce(p.brand, ''))) s (sort, missing, key)
          where p.organization_id = $1),
       runs as (select *, lead((start, start_id)) over (partition by sort, missing order by start, start_id) as next
                  from catalog.product_page_index where list_id = $1)
       select r.sort, r.start from runs r left join keyed k on k.sort = r.sort and k.missing = r.missing and (k.key, k.id) >= (r.start, r.start_id)
              and (r.next is null or (k.key, k.id) < r.next)
        group by r.sort, r.missing, r.start, r.start_id, r.plain, r.enriched, r.parents, r.enriched_parents
       having (r.plain, r.enriched, r.parents, r.enriched_parents) <> (
         count(k.id) filter (where not k.is_parent and not k.enriched), count(k.id) filter (where not k.is_parent and k.enriched),
         count(k.id) filter (where k.is_parent and not k.enriched), count(k.id) filter (where k.is_parent and k.enriched))
           or r.plain + r.enriched + r.parents + r.enriched_parents > 2000`,
      [organizationId],
    );

  test('stay exact while products are created, changed and deleted', async () => {
    const { id, key } = await graph.seed();
    const caller = graph.caller(key);
    await insert(id, 4_500);
    await expectPages(id, caller);
    const some = (rest: number) => `organization_id = $1 and hashtext(sku) % 7 = ${rest}`;
    for (const change of [
      `insert into catalog.products (id, organization_id, sku, name, created_at)
       select gen_random_uuid(), $1, 'NEW-' || n, 'Lamp 5' || n % 3, now() + n * interval '1 second' from generate_series(1, 2100) n`,
      `update catalog.products set brand = nullif(brand, 'Brand 1'), enriched = not enriched where ${some(1)}`,
      `update catalog.products set brand = 'Brand 9', name = name || 'x' where ${some(2)} and brand is null`,
      `update catalog.products set sku = reverse(sku), manufacturer = null where ${some(3)}`,
      `update catalog.products set is_parent = not is_parent, manufacturer = '' where ${some(-3)}`,
      `delete from catalog.products where ${some(4)}`,
    ])
      await pool.query(change, [id]);
    expect((await wrongRuns(id)).rows).toEqual([]);
    await expectPages(id, caller);
  });

  test('stay exact while writers and the first reader work at the same time', async () => {
    const { id, key } = await graph.seed();
    await insert(id, 4_500);
    const write = (n: number) =>
      n % 3 === 0
        ? pool.query(
            `insert into catalog.products (id, organization_id, sku, name)
             select gen_random_uuid(), $1, 'C-' || $2::int || '-' || m, 'Lamp ' || m from generate_series(1, 40) m`,
            [id, n],
          )
        : n % 3 === 1
          ? pool.query(
              `update catalog.products set name = 'Moved ' || $2::int, enriched = true where organization_id = $1 and sku = 'SKU-' || lpad($2::text, 6, '0')`,
              [id, n],
            )
          : pool.query(`delete from catalog.products where organization_id = $1 and sku = 'SKU-' || lpad($2::text, 6, '0')`, [
              id,
              n,
            ]);
    const read = (sort: string) => graph.caller(key).ask(list(`sortBy: ${sort}, page: 250`));
    const writes = Array.from({ length: 90 }, (_, n) => write(n));
    await Promise.all([...writes, ...['name', 'name', 'sku', 'brand'].map(read)]);
    expect((await wrongRuns(id)).rows).toEqual([]);
    await expectPages(id, graph.caller(key));
  });
});
