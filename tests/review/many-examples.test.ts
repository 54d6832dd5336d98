import { randomUUID } from 'node:crypto';
import { detached, type Scope, transaction } from '../../platform/scope/index.ts';
import { Attribute } from '../../subgraphs/catalog/attributes/entity.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { knownValues } from '../../subgraphs/catalog/enrichment/ask-model.ts';
import { findExamples } from '../../subgraphs/catalog/enrichment/examples.ts';
import { propose } from '../../subgraphs/catalog/enrichment/product-writes.ts';
import { Job, JobItem } from '../../subgraphs/catalog/jobs/entity.ts';
import { Product } from '../../subgraphs/catalog/products/entity.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';

const PRODUCTS = 15_000;
const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;
const { id: organizationId } = await graph.seed();
const scope = detached({ organizationId, services: graph.services });
const attribute = Object.assign(new Attribute(), { slug: 'color', name: 'Color', type: 'text', options: [], constraints: {} });

/** Accepted products, all with the same words; the last ones in a category of their own. */
beforeAll(async () => {
  await pool.query(`
    set session_replication_role = replica;
    insert into catalog.products (id, organization_id, sku, name, category, is_parent, attributes, provenance, user_provided_raw_data_sources)
    select gen_random_uuid(), '${organizationId}', 's' || n, 'Lamp ' || n, case when n <= ${PRODUCTS} - 1 then 'Lamps' else 'Single' end, false,
           jsonb_build_object('color', jsonb_build_object('attributeName', 'Color', 'attributeType', 'text', 'value', (array['red','blue'])[1 + n % 2])),
           '{}', array['Steel lamp']
      from generate_series(1, ${PRODUCTS}) n;
    insert into catalog.examples (product_id, organization_id, category_key, buckets)
    select p.id, p.organization_id, catalog.category_key(p.category), catalog.example_buckets(p) from catalog.products p;
    insert into catalog.example_terms select bucket, product_id from catalog.examples, unnest(buckets) bucket;
    insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, proposed)
    select gen_random_uuid(), 'color', p.organization_id, gen_random_uuid(), p.id, 50, p.attributes -> 'color' from catalog.products p;
    reset session_replication_role;
    analyze catalog.products, catalog.examples, catalog.example_terms, catalog.proposals;`);
});

const productOf = (category: string) =>
  scope.em.findOneOrFail(
    Product,
    { category },
    { orderBy: { sku: 'asc' }, populate: ['attributes', 'userProvidedRawDataSources'] },
  );
const job = Object.assign(new Job(), { id: randomUUID(), organizationId, kind: 'product-enrichment', modelType: 'budget-v1' });

test('the examples of a product among 15,000 accepted ones of its category are found without reading the category', async () => {
  const product = await productOf('Lamps');
  const { id } = product;
  const examples = await findExamples(scope, job, product, [attribute]);
  expect(examples).toHaveLength(10);
  expect(examples.map(({ productId }) => productId)).not.toContain(id);
  expect((await readBy(pool, () => findExamples(scope, job, product, [attribute]))).rows).toBeLessThan(5_000);
});

test('the only product of its category learns from other categories, and never from itself', async () => {
  const product = await productOf('Single');
  const examples = await findExamples(scope, job, product, [attribute]);
  expect(examples).toHaveLength(10);
  expect(examples.map(({ productId }) => productId)).not.toContain(product.id);
});

test('the known values of a category of 15,000 products are those of its products', async () => {
  const known = await knownValues(scope, job, await productOf('Lamps'), [attribute]);
  expect(known.color!.sort()).toEqual(['blue', 'red']);
});

test('a value replaces the open one of its product without reading those of 15,000 others', async () => {
  const { id: productId } = await productOf('Lamps');
  const item = Object.assign(new JobItem(), { id: randomUUID(), jobId: job.id, productId });
  const values = { color: { attributeName: 'Color', attributeType: 'text' as const, value: 'green', attributeId: null } };
  await pool.query(`
    begin;
    set local session_replication_role = replica;
    insert into catalog.job_items (id, organization_id, job_id, ordinal, turn) values ('${item.id}', '${organizationId}', '${job.id}', 0, 0);
    commit`);
  const undone = new Error('undone');
  const write = async (inner: Scope) => {
    await propose(inner, { jobId: job.id, tier: job.modelType }, [{ item, values, provenance: {}, decided: {} }]);
    throw undone;
  };
  const { rows } = await readBy(pool, () => transaction(scope, write).catch((error) => expect(error).toBe(undone)));
  expect(rows).toBeGreaterThan(0);
  expect(rows).toBeLessThan(100);
});
