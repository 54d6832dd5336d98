import { randomUUID } from 'node:crypto';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { processItem } from '../../subgraphs/catalog/jobs/engine.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import '../../subgraphs/catalog/job-kinds.ts';
import { detached } from '../../platform/scope/index.ts';
import { openSubgraph } from '../support/subgraph.ts';
import { until } from '../support/until.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

class Asked extends Error {}
/** Names the call of a model, which ends the attempt as the end of its process would. */
const model = new Proxy({}, { get: () => () => Promise.reject(new Asked()) });

/** A product as the only item of a job with `pro-v1` that reads sources twice. */
async function seedItem({ isParent, kind = 'product-enrichment' }: { isParent: boolean; kind?: string }) {
  const { id: organizationId, key } = await graph.seed({ credits: 100 });
  const api = graph.caller(key);
  const color = { attributeName: 'Color', attributeType: 'text', value: 'red' };
  const create = 'mutation ($products: [NewProduct!]!) { createProducts(products: $products) { ids } }';
  const [productId] = (
    await api.ask(create, {
      products: [{ sku: 'A', name: 'A', isParent, attributes: { color }, userProvidedRawDataSources: ['Color: red'] }],
    })
  ).createProducts.ids;
  await api.ask('mutation { createAttribute(input: { slug: "color", name: "Color", type: text }) { id } }');
  if (isParent) await api.ask(create, { products: [{ sku: 'V', name: 'V', parentId: productId, attributes: { color } }] });
  const [jobId, itemId] = [randomUUID(), randomUUID()];
  await pool.query(
    `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, websearch, agreement)
     values ($1, $2, $3, 'processing', 'pro-v1', 1, $1, false, $3 = 'product-enrichment')`,
    [jobId, organizationId, kind],
  );
  await pool.query(
    `insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, status, product_id) values ($1, $2, $3, 0, 0, 'pending', $4)`,
    [itemId, organizationId, jobId, productId],
  );
  const attempt = (signal = new AbortController().signal) =>
    processItem({ ...detached({ organizationId, services: graph.services }), model, signal } as never, itemId);
  const status = async () => (await pool.query('select status from catalog.job_items where id = $1', [itemId])).rows[0].status;
  return {
    attempt,
    /** An attempt that ends after its charge, while it reads the attributes. */
    async killedAttempt() {
      const rival = await pool.connect();
      await rival.query('begin; lock table catalog.attributes');
      const process = new AbortController();
      const running = expect(attempt(process.signal)).rejects.toThrow('killed');
      await until(async () => (await status()) === 'processing');
      process.abort(new Error('killed'));
      await rival.query('rollback');
      rival.release();
      await running;
    },
    setParent: async (value: boolean) => {
      await pool.query('update catalog.products set parent_id = null where parent_id = $1', [productId]);
      await pool.query('update catalog.products set is_parent = $2 where id = $1', [productId, value]);
    },
    async outcome() {
      const { rows } = await pool.query(
        `select status, error_message as error, cost::float8,
                (select sum(amount)::float8 from identity.credit_entries where organization_id = $2) as paid
           from catalog.job_items where id = $1`,
        [itemId, organizationId],
      );
      return rows[0];
    },
  };
}

test.each(['product-enrichment', 'product-validation'])(
  'an item of %s that was charged as a parent asks no model after its variants are detached',
  async (kind) => {
    const { attempt, killedAttempt, setParent, outcome } = await seedItem({ isParent: true, kind });
    await killedAttempt();
    expect(await outcome()).toEqual({ status: 'processing', error: null, cost: 0, paid: -0.5 });
    await setParent(false);
    await attempt();
    expect(await outcome()).toEqual({ status: 'failed', error: 'Insufficient product data', cost: 0, paid: 0 });
  },
);

test('an item that was charged in full is read from its sources, also if the product has become a parent', async () => {
  const { attempt, setParent, outcome } = await seedItem({ isParent: false });
  await expect(attempt()).rejects.toThrow(Asked);
  await setParent(true);
  await expect(attempt()).rejects.toThrow(Asked);
  expect(await outcome()).toEqual({ status: 'processing', error: null, cost: 0, paid: -8 });
});

test('a parent costs what was charged when its item began', async () => {
  const { attempt, killedAttempt, outcome } = await seedItem({ isParent: true });
  await killedAttempt();
  await attempt();
  expect(await outcome()).toEqual({ status: 'completed', error: null, cost: 0.5, paid: -0.5 });
});
