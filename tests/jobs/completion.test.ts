import { randomUUID } from 'node:crypto';
import { readRows } from '../../platform/database/rows.ts';
import { detached } from '../../platform/scope/index.ts';
import { Attribute } from '../../subgraphs/catalog/attributes/entity.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { outcomeOf } from '../../subgraphs/catalog/enrichment/kind.ts';
import { toReadSources } from '../../subgraphs/catalog/enrichment/sources.ts';
import { Job, JobItem } from '../../subgraphs/catalog/jobs/entity.ts';
import { completeItem } from '../../subgraphs/catalog/jobs/item-completion.ts';
import { Product } from '../../subgraphs/catalog/products/entity.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const ITEMS = 25;
const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;
const { id: organizationId } = await graph.seed();
const scope = detached({ organizationId, services: graph.services });
const attribute = Object.assign(new Attribute(), { slug: 'color', name: 'Color', type: 'text', options: [], constraints: {} });

/** A running job with items in progress, and a function that completes one of them with a value. */
async function runningJob(limits: Partial<Pick<Job, 'maxErrorRate'>> = {}) {
  const jobId = randomUUID();
  await pool.query(
    `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, max_error_rate)
     values ($1, $2, 'product-enrichment', 'processing', 'budget-v1', $3, $1, $4)`,
    [jobId, organizationId, ITEMS, limits.maxErrorRate ?? null],
  );
  await pool.query(
    `with made as (insert into catalog.products (id, organization_id, sku, name)
       select gen_random_uuid(), $2, $1 || '-' || n, 'Lamp ' || n from generate_series(1, $3::int) n returning id)
     insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, status, product_id)
     select gen_random_uuid(), $2, $1::uuid, row_number() over (), row_number() over (), 'processing', id from made`,
    [jobId, organizationId, ITEMS],
  );
  const [job] = await readRows(scope, Job, { where: { id: jobId } });
  const items = await readRows(scope, JobItem, { where: { jobId }, orderBy: { turn: 'asc' } });
  const products = new Map((await readRows(scope, Product, {})).map((each) => [each.id, each]));
  const complete = (item: JobItem, value = 'red') => {
    const product = { ...products.get(item.productId!)!, attributes: {}, provenance: {} } as Product;
    const sources = toReadSources([{ kind: 'text', url: null, text: `Color: ${value}` }]);
    const origin = { confidence: 90, sourceKind: 'text', sourceUrl: null, snippet: value, contentHash: sources[0]!.contentHash };
    const values = [{ attribute, type: 'text', value, origin } as const];
    const outcome = outcomeOf({ job: job!, item, product }, { model: 'm', values, sources, images: [] });
    return completeItem(scope, job!, { item, cost: 1, outcome });
  };
  return { jobId, items, complete };
}

async function stateOf(jobId: string) {
  const { rows } = await pool.query(
    `select j.processed_count as processed, j.success_count as succeeded, j.cost::int, j.value_count as confidences, j.sequence::int,
            (select count(*)::int from catalog.job_items where job_id = j.id and status = 'completed') as completed,
            (select count(*)::int from catalog.proposals where job_id = j.id) as proposals,
            (select count(*)::int from catalog.item_sources where job_id = j.id) as sources,
            (select count(*)::int from catalog.enrichment_history h join catalog.job_items i on i.id = h.job_item_id where i.job_id = j.id) as histories,
            (select count(*)::int from catalog.products p join catalog.job_items i on i.product_id = p.id
              where i.job_id = j.id and p.attributes -> 'color' ->> 'value' = 'red') as written,
            (select array_agg(item) from catalog.job_changes c, unnest(c.item_ids) item where c.job_id = j.id) as reported
       from catalog.jobs j where j.id = $1`,
    [jobId],
  );
  return rows[0];
}

const allOf = (count: number) => ({
  ...{ processed: count, succeeded: count, cost: count, confidences: count, completed: count },
  ...{ proposals: count, sources: count, histories: count, written: count },
});

test('items that complete together share transactions, and each is written, counted and reported once', async () => {
  const { jobId, items, complete } = await runningJob();
  expect(await Promise.all(items.map((item) => complete(item)))).toEqual(items.map(() => true));
  const state = await stateOf(jobId);
  expect(state).toMatchObject(allOf(ITEMS));
  expect(state.reported.toSorted()).toEqual(items.map(({ id }) => id).toSorted());
  expect(state.sequence).toBeLessThan(ITEMS);
  // A retry of a completed item counts nothing.
  expect(await Promise.all(items.map((item) => complete(item)))).toEqual(items.map(() => false));
  expect(await stateOf(jobId)).toEqual(state);
});

test('an item whose write fails does not fail the items that complete with it', async () => {
  const { jobId, items, complete } = await runningJob();
  const results = await Promise.allSettled(items.map((item, at) => complete(item, at === 7 ? 'red\u0000' : 'red')));
  expect(results.map(({ status }) => status)).toEqual(items.map((_, at) => (at === 7 ? 'rejected' : 'fulfilled')));
  const state = await stateOf(jobId);
  expect(state).toMatchObject(allOf(ITEMS - 1));
  expect(state.reported.toSorted()).toEqual(
    items
      .filter((_, at) => at !== 7)
      .map(({ id }) => id)
      .toSorted(),
  );
});

test('with a limit of the error rate, each item is counted alone', async () => {
  const { jobId, items, complete } = await runningJob({ maxErrorRate: 0.5 });
  await Promise.all(items.map((item) => complete(item)));
  expect(await stateOf(jobId)).toMatchObject({ ...allOf(ITEMS), sequence: ITEMS + 1 });
});

test('an item whose charge was lost by a crash of the database is charged when it completes', async () => {
  const { jobId, items, complete } = await runningJob();
  const [lost] = items;
  await pool.query(`update catalog.job_items set status = 'pending' where id = $1`, [lost!.id]);
  expect(await Promise.all(items.slice(0, 3).map((item) => complete(item)))).toEqual([true, true, true]);
  const { rows } = await pool.query('select reference, amount::int from identity.credit_entries where reference = any($1)', [
    items.map(({ id }) => `item:${id}`),
  ]);
  expect(rows).toEqual([{ reference: `item:${lost!.id}`, amount: -1 }]);
  expect((await stateOf(jobId)).completed).toBe(3);
});
