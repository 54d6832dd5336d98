import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';

let catalog: Awaited<ReturnType<typeof seedCatalog>>;
let ids: string[];
let job: string;
beforeAll(async () => {
  catalog = await seedCatalog([color, weight]);
  ids = await catalog.addProducts([
    { brand: 'Torvik', userProvidedRawDataSources: ['Color: red'] },
    { brand: 'Torvik', isParent: true },
    { brand: 'Lumen', attributes: { color: { attributeName: 'Color', attributeType: 'text', value: 'blue' } } },
    { attributes: { color: { attributeName: 'Color', attributeType: 'text', value: null } } },
  ]);
  job = (await catalog.enrich([ids[0]!])).job.id;
});

const ask = async (query: string, variables = {}) => catalog.api.graphql(query, variables);
const STATS = `{ catalogStats { products enriched parents brands { name productCount }
  attributes { attribute { slug } filled fillRate meanConfidence unreviewed } } reviewCount jobStats { kind status count } }`;

test('the numbers of the catalog equal its products, values and jobs', async () => {
  const { confidence } = (await ask('query ($id: ID!) { product(id: $id) { values { confidence } } }', { id: ids[0] })).product
    .values[0];
  expect(await ask(STATS)).toEqual({
    catalogStats: {
      products: 4,
      enriched: 1,
      parents: 1,
      brands: [
        { name: 'Torvik', productCount: 2 },
        { name: 'Lumen', productCount: 1 },
      ],
      attributes: [
        { attribute: { slug: 'color' }, filled: 2, fillRate: 0.5, meanConfidence: confidence, unreviewed: 1 },
        { attribute: { slug: 'weight' }, filled: 0, fillRate: 0, meanConfidence: null, unreviewed: 0 },
      ],
    },
    reviewCount: 1,
    jobStats: [{ kind: 'product-enrichment', status: 'completed', count: 1 }],
  });
});

test('the numbers follow reviews, changes and deletions', async () => {
  const other = await seedCatalog([color]);
  const [id, gone] = await other.addProducts([{ userProvidedRawDataSources: ['Color: red'] }, {}]);
  const { items } = await other.enrich([id!]);
  const shown = async () => {
    const { catalogStats, reviewCount } = await other.api.graphql(STATS);
    return [catalogStats.products, catalogStats.attributes[0].filled, reviewCount];
  };
  expect(await shown()).toEqual([2, 1, 1]);
  await other.api.graphql(
    'mutation ($id: ID!) { reviewItem(itemId: $id, decisions: [{ slug: "color", verdict: reject }]) { id } }',
    {
      id: items[0].id,
    },
  );
  await other.api.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: gone });
  expect(await shown()).toEqual([1, 0, 0]);
  expect((await other.api.graphql('{ reviewCount(attribute: "color") }')).reviewCount).toBe(0);
  // Deleting an organization deletes its products, whose triggers must not count them again.
  await database().query('delete from identity.organizations where id = $1', [other.id]);
});

test('counters stay exact when jobs and callers write at the same time', async () => {
  const other = await seedCatalog([color]);
  const made = await other.addProducts(Array.from({ length: 30 }, () => ({ userProvidedRawDataSources: ['Color: red'] })));
  const attributes = { size: { attributeName: 'Size', attributeType: 'text', value: 'M' } };
  const update =
    'mutation ($id: ID!, $attributes: AttributeValues!) { updateProductAttributes(id: $id, attributes: $attributes) { id } }';
  await Promise.all([other.enrich(made), ...made.map((id) => other.api.graphql(update, { id, attributes }))]);
  const { rows } = await database().query(
    `select kind, key, sum(count)::int as count from catalog.counters where organization_id = $1 and kind = 'value' group by 1, 2 order by 2`,
    [other.id],
  );
  expect(rows).toEqual(['color', 'size'].map((key) => ({ kind: 'value', key, count: 30 })));
});

test('decisions on several values lock their counters in the order of all other writers', async () => {
  const [writer, locker, reader] = await Promise.all([1, 2, 3].map(() => database().connect()));
  try {
    const [{ pid }] = (await writer!.query('select pg_backend_pid() as pid')).rows;
    const added = `insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, proposed)
      select i.id, slug, organization_id, job_id, product_id, 50, '{}' from catalog.job_items i, unnest('{zz,aa}'::text[]) slug where i.job_id = $1`;
    await writer!.query(added, [job]);
    const lock = (key: string) =>
      `select from catalog.counters where organization_id = '${catalog.id}' and kind = 'review' and key = '${key}' and slot = ${1 + (pid % 15)} for update nowait`;
    await locker!.query(`begin; ${lock('aa')}`);
    await writer!.query('begin; set local enable_indexscan = off; set local enable_bitmapscan = off');
    const decided = writer!.query(`update catalog.proposals set verdict = 'reject' where job_id = $1 and slug in ('zz', 'aa')`, [
      job,
    ]);
    const WAITS = `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`;
    await until(async () => (await reader!.query(WAITS, [pid])).rows.length > 0);
    // Fails if the writer holds it.
    await reader!.query(lock('zz'));
    await locker!.query('rollback');
    await decided;
    await writer!.query('commit');
    expect((await ask('{ reviewCount(attribute: "zz") }')).reviewCount).toBe(0);
    await writer!.query(`delete from catalog.proposals where job_id = $1 and slug in ('zz', 'aa')`, [job]);
  } finally {
    for (const each of [writer, locker, reader]) each!.release(true);
  }
});

test('spent credits are grouped by day, kind and job; refunds and payments do not count', async () => {
  const failing = (await catalog.enrich([ids[3]!])).job;
  expect(failing.failedCount).toBe(1);
  const usage = async (by: string) =>
    (await ask(`{ creditUsage(by: ${by}) { total rows { day kind job { id } credits } } }`)).creditUsage;
  const day = new Date().toISOString().slice(0, 10);
  const none = { day: null, kind: null, job: null };
  expect(await usage('day')).toEqual({ total: 1, rows: [{ ...none, day, credits: 1 }] });
  expect(await usage('kind')).toEqual({ total: 1, rows: [{ ...none, kind: 'product-enrichment', credits: 1 }] });
  expect(await usage('job')).toEqual({ total: 1, rows: [{ ...none, job: { id: job }, credits: 1 }] });
  for (const period of ['since: "2020-01-01T00:00:00Z"', 'until: "2020-01-01T00:00:00Z", since: "2020-01-02T00:00:00Z"'])
    expect(await catalog.api.refusal(`{ creditUsage(by: day, ${period}) { total } }`)).toMatchObject({ code: 'INVALID_INPUT' });
});

test('the estimate of a job equals what it costs at most', async () => {
  const estimate = async (args: string) => (await ask(`{ jobEstimate(${args}) { items credits isCovered } }`)).jobEstimate;
  const products = `productIds: ${JSON.stringify(ids)}`;
  expect(await estimate(`kind: "product-enrichment", ${products}`)).toEqual({ items: 4, credits: 3.25, isCovered: true });
  expect(await estimate(`kind: "product-market-analysis", modelType: "pro-v1", ${products}`)).toEqual({
    items: 4,
    credits: 40,
    isCovered: true,
  });
  expect(await estimate('kind: "brand-enrichment", rows: 2000')).toEqual({ items: 2_000, credits: 2_000, isCovered: true });
  expect(await catalog.api.refusal('{ jobEstimate(kind: "ai-import", uploadedFileIds: ["x"]) { items } }')).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('the estimate of a repetition counts the items of the job', async () => {
  const own = await seedCatalog();
  const [parent] = await own.addProducts([{ isParent: true }]);
  const products = await own.addProducts([{ parentId: parent }, {}]);
  const job = await own.start([parent!, ...products]);
  const ESTIMATE =
    'query ($job: ID!, $tier: ModelType!) { rerunEstimate(jobId: $job, modelType: $tier) { items credits isCovered } }';
  const estimate = async (tier: string) => (await own.api.graphql(ESTIMATE, { job, tier })).rerunEstimate;
  const { jobEstimate } = await own.api.graphql(
    'query ($ids: [ID!]) { jobEstimate(kind: "product-enrichment", productIds: $ids) { items credits isCovered } }',
    { ids: [parent, ...products] },
  );
  expect(jobEstimate).toMatchObject({ items: 3, credits: 2.25 });
  expect(await estimate('budget-v1')).toEqual(jobEstimate);
  expect((await estimate('pro-v1')).credits).toBeGreaterThan(jobEstimate.credits);
  expect(await catalog.api.refusal(ESTIMATE, { job, tier: 'pro-v1' })).toMatchObject({ code: 'NOT_FOUND' });
});
