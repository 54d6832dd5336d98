import type { PoolClient } from 'pg';
import { detached, transaction } from '../../platform/scope/index.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { writeEnrichments } from '../../subgraphs/catalog/enrichment/product-writes.ts';
import type { JobItem } from '../../subgraphs/catalog/jobs/entity.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { duringTransaction } from '../support/rival.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

type Lock = (rival: PoolClient) => Promise<unknown>;

const CREATE = 'mutation ($input: NewProduct!) { createProduct(input: $input) { id } }';

/** An organization, and requests that lock its products. */
async function open() {
  const { id: organizationId, key } = await graph.seed();
  const { ask } = graph.caller(key);
  const jobId = (
    await pool.query<{ id: string }>(
      `insert into catalog.jobs (id, organization_id, kind, model_type, status, total_count, created_by_id)
       values (gen_random_uuid(), $1, 'product-enrichment', 'budget-v1', 'processing', 1, gen_random_uuid()) returning id`,
      [organizationId],
    )
  ).rows[0]!.id;
  const create = async (sku: string, more: object = {}): Promise<string> =>
    (await ask(CREATE, { input: { sku, name: sku, ...more } })).createProduct.id;
  /** Writes a value to products, as the items of a job do that complete together. */
  const enrich = async (slug: string, ...productIds: string[]) => {
    const { rows: items } = await pool.query<JobItem>(
      `insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, product_id, status)
       select gen_random_uuid(), $1, $2, (random() * 2e9)::int, 0, id, 'completed' from unnest($3::uuid[]) id
       returning id, job_id as "jobId", product_id as "productId"`,
      [organizationId, jobId, productIds],
    );
    const values = {
      [slug]: { attributeId: null, attributeType: 'text' as const, attributeName: slug, value: String(Math.random()) },
    };
    const origin = { jobId, confidence: 80, score: 80, model: 'm', sourceKind: 'text', at: '2026-01-01T00:00:00Z' };
    const job = { id: jobId, modelType: 'budget-v1', autoAccept: null, attributeSetId: null } as never;
    await transaction(detached({ services: graph.services, organizationId }), (scope) =>
      writeEnrichments(
        scope,
        items.map((item) => ({
          ...{ job, item, overwrite: 'all', values, found: values, sources: [], images: [] },
          provenance: { [slug]: { ...origin, itemId: item.id } as never },
        })),
      ),
    );
  };
  return {
    ...{ ask, organizationId, create, enrich },
    remove: (id: string) => ask('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id }),
    restore: (...ids: string[]) => ask('mutation ($ids: [ID!]!) { restoreProducts(ids: $ids) { ids } }', { ids }),
    setParent: (id: string, parentId: string) =>
      ask('mutation ($id: ID!, $parentId: ID) { updateProduct(id: $id, input: { parentId: $parentId }) { id } }', { id, parentId }),
    lockOf: (table: string, id: string) => (rival: PoolClient) =>
      rival.query(`select from catalog.${table} where id = $1 for update`, [id]),
    /** The lock that each insertion and deletion of a product takes, before it locks the counts of products. */
    lockPages: (rival: PoolClient) =>
      rival.query(`select pg_advisory_xact_lock(hashtextextended('catalog.product_page_index ' || $1, 0))`, [organizationId]),
    /** All slots, because connections share them. */
    lockProposals: (slug: string) => (rival: PoolClient) =>
      rival.query(
        `insert into catalog.counters as c (organization_id, kind, key, slot) select $1, 'review', $2, n from generate_series(0, 15) n
         on conflict (organization_id, kind, key, slot) do update set count = c.count`,
        [organizationId, slug],
      ),
    lockVersions: (rival: PoolClient) =>
      rival.query(
        `insert into catalog.product_versions as v (organization_id, slot, listed, changed) select $1, n, 1, 1 from generate_series(0, 15) n
         on conflict (organization_id, slot) do update set changed = v.changed + 1`,
        [organizationId],
      ),
  };
}

/** Fails if the request holds `last` while it waits for `first`: the rival, which notices a deadlock first, is its victim. */
const inOrder = (first: Lock, request: () => Promise<unknown>, last: Lock) =>
  duringTransaction(
    async (rival) => {
      await rival.query(`set local deadlock_timeout = '5ms'`);
      await first(rival);
    },
    request,
    last,
    pool,
  );

test('a deletion waits for an enrichment of another product before it locks what that still needs', async () => {
  const { create, enrich, remove, lockProposals, lockPages } = await open();
  const id = await create('A');
  await enrich('color', id);
  await inOrder(lockProposals('color'), () => remove(id), lockPages);
});

test('the deletion of a parent locks the products in the order of their ids', async () => {
  const { create, remove, setParent, lockOf } = await open();
  const variant = await create('V');
  const parent = await create('P', { isParent: true });
  await setParent(variant, parent);
  await inOrder(lockOf('products', variant), () => remove(parent), lockOf('products', parent));
});

test('the deletion of a parent changes its variants after the counts of products', async () => {
  const { create, remove, lockPages, lockVersions } = await open();
  const parent = await create('P', { isParent: true });
  await create('V', { parentId: parent });
  await inOrder(lockPages, () => remove(parent), lockVersions);
});

test('a restoration locks the variants that it changes first', async () => {
  const { create, remove, restore, lockOf, lockPages } = await open();
  const parent = await create('P', { isParent: true });
  const variant = await create('V', { parentId: parent });
  await remove(parent);
  await inOrder(lockOf('products', variant), () => restore(parent), lockPages);
});

test('the restoration of a variant locks its deleted parent first', async () => {
  const { create, remove, restore, lockOf, lockPages } = await open();
  const parent = await create('P', { isParent: true });
  const variant = await create('V', { parentId: parent });
  await remove(variant);
  await remove(parent);
  await inOrder(lockOf('deleted_products', parent), () => restore(variant), lockPages);
});

test('a deletion that needs room leaves the products that are being restored', async () => {
  const { organizationId, create, remove, restore, lockOf, lockPages } = await open();
  const [first, second] = [await create('A'), await create('B')];
  await remove(first);
  await pool.query('update identity.organizations set storage_quota = 1 where id = $1', [organizationId]);
  await inOrder(lockOf('deleted_products', first), () => remove(second), lockPages);
  await pool.query('update identity.organizations set storage_quota = null where id = $1', [organizationId]);
  await restore(first);
});

test('a product that becomes a variant locks its parent in the order of their ids', async () => {
  const { create, setParent, lockOf } = await open();
  const parent = await create('P', { isParent: true });
  const id = await create('V');
  await inOrder(lockOf('products', parent), () => setParent(id, parent), lockOf('products', id));
});

test('a flood of deletions, restorations, enrichments and creations of the same products has no deadlock', async () => {
  const { create, enrich, remove, restore, setParent } = await open();
  const parents = await Promise.all([1, 2].map((n) => create(`P${n}`, { isParent: true })));
  const ids = [...parents];
  for (let n = 0; n < 12; n += 1)
    ids.push(await create(`V${n}`, { parentId: n % 3 < 2 ? parents[n % 2] : null, brand: `B${n % 3}`, category: `C${n % 2}` }));
  const before = await deadlocks();
  const any = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)]!;
  const steps = [
    () => remove(any(ids)),
    () => restore(any(ids)),
    () => restore(any(ids)),
    () => enrich(any(['color', 'size']), any(ids)),
    () => enrich(any(['color', 'size']), ...new Set([any(ids), any(ids), any(ids)])),
    () => setParent(any(ids.slice(2)), any(parents)),
    () => create(`N${Math.random()}`, { brand: 'B1', attributes: { color: { attributeType: 'text', value: 'red' } } }),
  ];
  const end = performance.now() + 6_000;
  const faults: string[] = [];
  const run = async () => {
    while (performance.now() < end) await any(steps)().catch((error: Error) => faults.push(error.message));
  };
  await Promise.all(Array.from({ length: 24 }, run));
  // Products that are deleted, or restored, meanwhile.
  expect(faults.filter((fault) => !/NOT_FOUND|CONFLICT|INVALID_INPUT/.test(fault))).toEqual([]);
  expect((await deadlocks()) - before).toBe(0);
}, 60_000);

/** The deadlocks of the database. Sessions report them with a delay of up to a second. */
async function deadlocks(): Promise<number> {
  await pool.query('select pg_sleep(1.5)');
  const { rows } = await pool.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]!.deadlocks);
}
