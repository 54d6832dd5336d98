import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool, statements } = graph.services;

const insert = (organizationId: string, count: number) =>
  pool.query(
    `insert into catalog.products (id, organization_id, sku, name, brand, created_at)
     select gen_random_uuid(), $1, 'SKU-' || lpad(n::text, 6, '0'), 'Lamp ' || n, 'B', now() - n * interval '1 minute'
       from generate_series(1, $2::int) n`,
    [organizationId, count],
  );

async function seed(count: number) {
  const { id, key } = await graph.seed();
  await insert(id, count);
  return { id, ...graph.caller(key) };
}

type Run = (statement: { text: string; values: unknown[] }, ...rest: unknown[]) => Promise<{ rows: unknown[] }>;

/** Calls `observe` around each statement until the returned stack is disposed. */
function intercept(observe: (statement: Parameters<Run>[0], run: () => ReturnType<Run>) => ReturnType<Run>): Disposable {
  const own = statements.run;
  const run = own.bind(statements) as Run;
  statements.run = ((statement, ...rest) => observe(statement, () => run(statement, ...rest))) as Run as typeof own;
  return {
    [Symbol.dispose]() {
      statements.run = own;
    },
  };
}

/** Does some work once, before the first statement that matches. */
function before(pattern: RegExp, work: () => Promise<unknown>): Disposable {
  let isDone = false;
  return intercept(async ({ text }, run) => {
    if (!isDone && pattern.test(text)) {
      isDone = true;
      await work();
    }
    return run();
  });
}

test.each(['red', 'missing'])('a search shows a %s value that was written while an earlier search ran', async (kind) => {
  const { id, ask } = await seed(50);
  const paint = (sku: string, value: string | null) =>
    pool.query(`update catalog.products set attributes = $3 where organization_id = $1 and sku = $2`, [
      id,
      sku,
      value === null ? {} : { color: { value } },
    ]);
  const write = (sku: string) => paint(sku, kind === 'red' ? 'red' : null);
  for (let n = 1; n <= 50; n += 1) await paint(`SKU-${String(n).padStart(6, '0')}`, 'blue');
  await write('SKU-000001');
  const filter = kind === 'red' ? 'attribute: { slug: "color", value: "red" }' : 'missingAttribute: "color"';
  const text = `{ products(search: "lamp", filter: { ${filter} }) { nodes { sku } pagination { total } } }`;
  for (const pattern of [/product_versions/, /value_keys|r\.attributes/, /any\(\$\d+::uuid/, /count\(\*\)/]) {
    await write('SKU-000001');
    await paint('SKU-000002', 'green');
    using _ = before(pattern, () => write('SKU-000002'));
    await ask(text);
    await write('SKU-000002');
    const { products } = await ask(text);
    expect(products).toEqual({ nodes: [{ sku: 'SKU-000001' }, { sku: 'SKU-000002' }], pagination: { total: 2 } });
  }
});

test('a page is full although one of its products is deleted meanwhile', async () => {
  const { id, ask } = await seed(50);
  const text = '{ products(search: "lamp", sortBy: sku, sortOrder: asc, limit: 10) { nodes { sku } endCursor } }';
  await ask(text);
  using _ = before(/any\(\$\d+::uuid\[\]\)/, () =>
    pool.query(`delete from catalog.products where organization_id = $1 and sku = 'SKU-000003'`, [id]),
  );
  const { products } = await ask(text);
  expect(products.nodes.map(({ sku }: { sku: string }) => sku)).toEqual(
    [1, 2, 4, 5, 6, 7, 8, 9, 10, 11].map((n) => `SKU-${String(n).padStart(6, '0')}`),
  );
  expect(products.endCursor).not.toBeNull();
});

test('searches of one organization do not evict the totals of another', async () => {
  const [many, other] = [await seed(4_900), await seed(5_200)];
  const counts: string[] = [];
  using _ = intercept(({ text, values }, run) => {
    if (/^select count\(\*\) as "\$total" from catalog/.test(text) && values.includes(other.id)) counts.push(text);
    return run();
  });
  const total = async () => (await other.ask('{ products(search: "lamp") { pagination { total } } }')).products.pagination.total;
  for (let nth = 0; nth < 3; nth += 1) expect(await total()).toBe(5_200);
  expect(counts).toHaveLength(1);
  for (const search of ['lamp', 'amp', 'lam', 'sku', 'sku-'])
    for (const sort of ['createdAt', 'sku', 'name', 'brand'])
      for (const order of ['asc', 'desc'])
        for (const page of [1, 2])
          await many.ask(`{ products(search: "${search}", sortBy: ${sort}, sortOrder: ${order}, page: ${page}) { nodes { id } } }`);
  expect(await total()).toBe(5_200);
  expect(counts).toHaveLength(1);
});

test('the matches of each search of a request are read once', async () => {
  const { ask } = await seed(4_900);
  let rows = 0;
  using _ = intercept(async (_statement, run) => {
    const result = await run();
    rows += result.rows.length;
    return result;
  });
  const texts = ['lamp', 'amp', 'lam', 'la', 'am', 'mp', 'sku', 'sk', 'ku', 'sku-', 'ku-', 'u-'];
  const fields = texts.flatMap((text) => ['sku', 'name', 'brand'].map((sort) => `search: "${text}", sortBy: ${sort}`));
  await ask(`{ ${fields.map((args, at) => `s${at}: products(${args}) { nodes { sku } }`).join(' ')} }`);
  expect(rows).toBeLessThan(fields.length * 5_000);
});

test('a page by cursor of a search with many hits reads a part of the order', async () => {
  const { ask } = await seed(4_000);
  await pool.query('vacuum analyze catalog.products');
  const page = (after = '') =>
    `{ products(search: "lamp", sortBy: sku, sortOrder: asc, limit: 10${after && `, after: "${after}"`}) { nodes { sku } endCursor pagination { total } } }`;
  let { endCursor } = (await ask(page())).products;
  ({ endCursor } = (await ask(page(endCursor))).products);
  const { rows } = await readBy(pool, async () => {
    const { products } = await ask(page(endCursor));
    expect(products.nodes[0]).toEqual({ sku: 'SKU-000021' });
    expect(products.pagination).toEqual({ total: 4_000 });
  });
  expect(rows).toBeLessThan(500);
});
