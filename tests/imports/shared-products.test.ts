import { randomUUID } from 'node:crypto';
import { detached, type RequestScope, transaction } from '../../platform/scope/index.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import type { FileProduct } from '../../subgraphs/catalog/extraction/read-products.ts';
import { withoutRows } from '../../subgraphs/catalog/imports/file-rows.ts';
import { insertItems } from '../../subgraphs/catalog/imports/insert-items.ts';
import { finalizeAiImportJob } from '../../subgraphs/catalog/imports/product-import.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';
import { until } from '../support/until.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const product = (sku: string, family: FileProduct['family'] = null): FileProduct => ({
  ...{ name: `Shirt ${sku}`, sku, family, variantOptions: {} },
  ...{ brand: null, category: null, manufacturer: null, mpn: null },
});

/** The number of statements that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await pool.query(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].count;
}

async function openJob() {
  const { id: organizationId } = await graph.seed();
  const jobId = randomUUID();
  await pool.query(
    `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id)
     values ($1, $2, 'ai-import', 'processing', 'budget-v1', 2, $1)`,
    [jobId, organizationId],
  );
  const store = (products: FileProduct[]) =>
    transaction(detached({ organizationId, services: graph.services }), (inner) =>
      insertItems(inner, jobId, 0, withoutRows(products)),
    );
  return { organizationId, jobId, store };
}

test.each([
  ['Möbel-Garnitur Größe XL', 'MOBEL-GARNITUR-GROSSE-XL'],
  ['Crème brûlée', 'CREME-BRULEE'],
  ['의자 2', '의자-2'],
])('the family %s gets the SKU %s', async (name, sku) => {
  const { jobId, store } = await openJob();
  await store([product('A-1', { name, sku: null })]);
  const { rows } = await pool.query(`select sku from catalog.import_items where job_id = $1 and type = 'family'`, [jobId]);
  expect(rows).toEqual([{ sku }]);
});

test('two pages of an import with the same product are both stored, although only one has families', async () => {
  const { organizationId, jobId, store } = await openJob();
  // Stops the first page between its families and the product that both pages have.
  const gate = await pool.connect();
  await gate.query('begin');
  await gate.query(
    `insert into catalog.import_items (organization_id, job_id, type, match_key, name, sku, data)
     values ($1, $2, 'standalone', 'sku a-0', 'Gate', 'A-0', '{}')`,
    [organizationId, jobId],
  );
  const family = { name: 'Shirt', sku: 'T' };
  const first = store([product('A-0', family), product('A-1', family)]);
  await until(async () => (await waiting()) === 1);
  const second = store([product('A-1')]);
  await until(async () => (await waiting()) === 2);
  await gate.query('rollback');
  gate.release();
  expect(await Promise.allSettled([first, second])).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
  const { rows } = await pool.query('select match_key from catalog.import_items where job_id = $1 order by match_key', [jobId]);
  expect(rows.map((row) => row.match_key)).toEqual(['family t', 'sku a-0', 'sku a-1']);
});

const itemsOf = async (jobId: string) =>
  (
    await pool.query(
      `select type, name, sku, child_count as variants from catalog.import_items where job_id = $1 order by type, name, sku, match_key`,
      [jobId],
    )
  ).rows;
const extracted = async (jobId: string) =>
  (await pool.query('select total_extracted as total from catalog.jobs where id = $1', [jobId])).rows[0].total;

test.each([false, true])(
  'the row of a family on another page than its variants is the family (variants first: %s)',
  async (reversed) => {
    const { jobId, store } = await openJob();
    const row = [{ ...product('T'), name: 'Shirt, organic' }, product('M-1')];
    const variants = [product('T-R', { name: 'Shirt', sku: 'T' }), product('T-B', { name: 'Shirt', sku: 'T' })];
    for (const page of reversed ? [variants, row] : [row, variants]) await store(page);
    expect(await itemsOf(jobId)).toEqual([
      { type: 'family', name: 'Shirt, organic', sku: 'T', variants: 2 },
      { type: 'product', name: 'Shirt T-B', sku: 'T-B', variants: 0 },
      { type: 'product', name: 'Shirt T-R', sku: 'T-R', variants: 0 },
      { type: 'standalone', name: 'Shirt M-1', sku: 'M-1', variants: 0 },
    ]);
    expect(await extracted(jobId)).toBe(4);
  },
);

test('products without a SKU that share a name are distinct if their part numbers, options or families are', async () => {
  const { jobId, store } = await openJob();
  const bolt = { ...product(''), name: 'Bolt', sku: null };
  const sized = (size: string, family: string) => ({
    ...{ ...bolt, family: { name: family, sku: null } },
    variantOptions: { Size: size },
  });
  const page = [bolt, { ...bolt, mpn: 'B-1' }, { ...bolt, mpn: 'B-2' }, sized('S', 'Kit'), sized('M', 'Kit'), sized('M', 'Box')];
  await store(page);
  await store(page);
  expect((await itemsOf(jobId)).map(({ type }) => type)).toEqual([
    ...['family', 'family', 'product', 'product', 'product', 'standalone', 'standalone', 'standalone'],
  ]);
});

test('a product without a SKU is the same if another page lists its options in another order', async () => {
  const { jobId, store } = await openJob();
  const shirt = { ...product(''), name: 'Shirt', sku: null, family: { name: 'Shirts', sku: null } };
  for (const variantOptions of [
    { Size: 'S', Color: 'Red' },
    { Color: 'Red', Size: 'S' },
  ])
    await store([{ ...shirt, variantOptions }]);
  expect(await extracted(jobId)).toBe(2);
});

const defaults = { mode: 'create', matchBy: 'sku', emptyCells: 'leave', overwrite: 'unreviewed' } as const;

test('an import is finalized in batches, and an interrupted one keeps those before', async () => {
  const { organizationId, jobId, store } = await openJob();
  const family = { name: 'Shirt', sku: 'T' };
  await store([product('A'), product('B'), product('C'), product('T-1', family), product('T-2', family), product('T-3', family)]);
  // No import stores so long a SKU.
  const broken = (sku: string) =>
    pool.query(
      `update catalog.import_items set data = data || jsonb_build_object('sku', $2::text) where job_id = $1 and sku = 'T-3'`,
      [jobId, sku],
    );
  const finalize = () => {
    const caller = { userId: organizationId } as RequestScope['caller'];
    return finalizeAiImportJob(
      { ...detached({ organizationId, services: graph.services }), caller },
      { jobId, all: true, ...defaults },
      2,
    );
  };
  const imported = async () => {
    const { rows } = await pool.query(
      `select p.sku, f.sku as parent from catalog.products p left join catalog.products f on f.id = p.parent_id
        where p.organization_id = $1 order by p.sku`,
      [organizationId],
    );
    return rows.map(({ sku, parent }) => (parent ? `${sku} of ${parent}` : sku));
  };
  await broken('x'.repeat(65));
  await expect(finalize()).rejects.toThrow();
  expect(await imported()).toEqual(['A', 'B', 'C', 'T', 'T-1 of T', 'T-2 of T']);
  await broken('T-3');
  expect(await finalize()).toEqual({ jobId, imported: 1, failed: 0, created: 1, updated: 0, unchanged: 0 });
  expect(await imported()).toEqual(['A', 'B', 'C', 'T', 'T-1 of T', 'T-2 of T', 'T-3 of T']);
});
