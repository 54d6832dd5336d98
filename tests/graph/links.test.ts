import { color, seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';

type Catalog = Awaited<ReturnType<typeof seedCatalog>>;

let catalog: Catalog;
let job: string;
let red: string;
let plain: string;
beforeAll(async () => {
  catalog = await seedCatalog([color]);
  const tools = { brand: 'Torvik', category: 'Home > Tools' };
  [red, plain] = (await catalog.addProducts([
    { ...tools, sku: 'RED', externalId: 'erp-1', userProvidedRawDataSources: ['Color: red'] },
    { ...tools, brand: 'TORVIK ', sku: 'PLAIN', userProvidedRawDataSources: ['Nothing to see.'] },
    { sku: 'LAMP', brand: 'Lumen' },
  ])) as [string, string];
  await catalog.api.graphql('mutation { createBrand(name: "Torvik") { created } }');
  job = (await catalog.enrich([red, plain])).job.id;
});

const ask = (query: string, variables = {}) => catalog.api.graphql(query, variables);

test('a product shows its values with definition, origin, job and decision', async () => {
  const items = await ask('query ($id: ID!) { job(id: $id) { items(search: "red") { nodes { id } } } }', { id: job });
  const itemId = items.job.items.nodes[0].id;
  await ask('mutation ($itemId: ID!) { reviewItem(itemId: $itemId, decisions: [{ slug: "color", verdict: accept }]) { id } }', {
    itemId,
  });
  const { product } = await ask(`{ product(sku: "RED") {
    values { slug value confidence snippet attribute { id name } job { id kind } item { id } decision { verdict decidedBy { id } } } } }`);
  expect(product.values).toEqual([
    {
      slug: 'color',
      value: 'red',
      confidence: expect.any(Number),
      snippet: expect.stringContaining('red'),
      attribute: { id: catalog.attributeIds.color, name: 'Color' },
      job: { id: job, kind: 'product-enrichment' },
      item: { id: itemId },
      decision: { verdict: 'accept', decidedBy: { id: catalog.owner.id } },
    },
  ]);
});

test('products link to their brand, category, jobs and histories', async () => {
  const { products } = await ask(`{ products(sortBy: sku, sortOrder: asc) { nodes {
    sku brandSummary { name productCount brand { slug } } categorySummary { name category { id } }
    jobs { nodes { id } pagination { total } } latestJob { id } enrichmentHistory { nodes { attributes } pagination { total } } } } }`);
  const torvik = { name: 'Torvik', productCount: 2, brand: { slug: 'torvik' } };
  const jobs = { jobs: { nodes: [{ id: job }], pagination: { total: 1 } }, latestJob: { id: job } };
  const tools = { name: 'Home > Tools', category: null };
  expect(products.nodes).toEqual([
    {
      sku: 'LAMP',
      brandSummary: { name: 'Lumen', productCount: 1, brand: null },
      categorySummary: null,
      jobs: { nodes: [], pagination: { total: 0 } },
      latestJob: null,
      enrichmentHistory: { nodes: [], pagination: { total: 0 } },
    },
    { sku: 'PLAIN', brandSummary: torvik, categorySummary: tools, ...jobs, enrichmentHistory: expect.anything() },
    {
      sku: 'RED',
      brandSummary: torvik,
      categorySummary: tools,
      ...jobs,
      enrichmentHistory: {
        nodes: [{ attributes: { color: expect.objectContaining({ value: 'red' }) } }],
        pagination: { total: 1 },
      },
    },
  ]);
});

test('a product is found by SKU, external id or id, and by one of them only', async () => {
  for (const key of ['sku: "RED"', 'externalId: "erp-1"', `id: "${red}"`])
    expect((await ask(`{ product(${key}) { id } }`)).product.id).toBe(red);
  expect(await catalog.api.refusal('{ product(sku: "NONE") { id } }')).toMatchObject({ code: 'NOT_FOUND' });
  for (const keys of ['', `(id: "${red}", sku: "RED")`])
    expect(await catalog.api.refusal(`{ product${keys} { id } }`)).toMatchObject({ code: 'INVALID_INPUT' });
});

test('brands are those that products name and those that were created', async () => {
  await ask('mutation { createBrand(name: "Unused") { created } }');
  const list = async (args = '') =>
    (await ask(`{ brands${args} { nodes { name productCount brand { name } } pagination { total } } }`)).brands;
  const [lumen, torvik, unused] = [
    { name: 'Lumen', productCount: 1, brand: null },
    { name: 'Torvik', productCount: 2, brand: { name: 'Torvik' } },
    { name: 'Unused', productCount: 0, brand: { name: 'Unused' } },
  ];
  expect(await list()).toEqual({ nodes: [lumen, torvik, unused], pagination: { total: 3 } });
  expect((await list('(search: "UM")')).nodes).toEqual([lumen]);
  expect((await list('(created: false)')).nodes).toEqual([lumen]);
  expect((await list('(sortBy: productCount, sortOrder: desc, limit: 2)')).nodes).toEqual([torvik, lumen]);
});

test('a brand is found by name, by the id of its summary and by the id of its record', async () => {
  const { brand } = await ask('{ brand(name: " torVIK") { id brand { id summary { id } } } }');
  expect(brand.brand.summary.id).toBe(brand.id);
  for (const id of [brand.id, brand.brand.id]) expect((await ask(`{ brand(id: "${id}") { name } }`)).brand.name).toBe('Torvik');
  expect(await catalog.api.refusal('{ brand(name: "Nobody") { id } }')).toMatchObject({ code: 'NOT_FOUND' });
  expect(await catalog.api.refusal('{ category(id: "x") { id } }')).toMatchObject({ code: 'NOT_FOUND' });
});

test('the counts of brands follow changes and deletions of products', async () => {
  const other = await seedCatalog([]);
  const [a, b] = await other.addProducts([{ brand: 'One' }, { brand: 'One' }]);
  const counts = async () => {
    const { brands } = await other.api.graphql('{ brands { nodes { name productCount enrichedCount } } }');
    return brands.nodes.map((each: { name: string; productCount: number }) => [each.name, each.productCount]);
  };
  expect(await counts()).toEqual([['One', 2]]);
  await other.api.graphql('mutation ($id: ID!) { updateProduct(id: $id, input: { brand: "Two" }) { id } }', { id: a });
  expect(await counts()).toEqual([
    ['One', 1],
    ['Two', 1],
  ]);
  await other.api.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: b });
  expect(await counts()).toEqual([['Two', 1]]);
});

test('a job shows its items by status, its cost, its duration and the job that it repeats', async () => {
  const retry = await ask('mutation ($id: ID!) { retryFailedItems(jobId: $id) { id rerunOf { id } } }', { id: job }).catch(
    () => null,
  );
  const { job: shown } = await ask(
    `query ($id: ID!) { job(id: $id) { cost duration attributes { slug } uploadedFiles { id } createdBy { id }
       all: items { nodes { ordinal job { id } } pagination { total } } failed: items(status: failed) { pagination { total } } failedCount } }`,
    { id: job },
  );
  expect(shown).toMatchObject({ attributes: null, uploadedFiles: [], createdBy: { id: catalog.owner.id } });
  expect(shown.all).toEqual({ nodes: [0, 1].map((ordinal) => ({ ordinal, job: { id: job } })), pagination: { total: 2 } });
  expect(shown.failed.pagination.total).toBe(shown.failedCount);
  expect(shown.cost).toBe(2 - shown.failedCount);
  expect(shown.duration).toBeGreaterThan(0);
  if (retry) expect(retry.retryFailedItems.rerunOf).toEqual({ id: job });
});

test('charges link to their item and job', async () => {
  const { organization } = await ask('{ organization { creditEntries { nodes { amount job { id } item { job { id } } } } } }');
  const charges = organization.creditEntries.nodes.filter(({ amount }: { amount: number }) => amount < 0);
  expect(charges.length).toBeGreaterThan(0);
  expect(charges.some((each: object) => JSON.stringify(each).includes(job))).toBe(true);
});

test('files are listed newest first', async () => {
  await database().query(
    `insert into catalog.files (organization_id, name, mime, ready, created_by_id, created_at)
     select $1, 'f' || n || '.csv', 'text/csv', n < 3, $2, now() + n * interval '1 second' from generate_series(1, 3) n`,
    [catalog.id, catalog.owner.id],
  );
  const { uploadedFiles } = await ask('{ uploadedFiles { nodes { id name createdBy { id } } pagination { total } } }');
  const createdBy = { id: catalog.owner.id };
  expect(uploadedFiles).toMatchObject({ nodes: [{ name: 'f2.csv', createdBy }, { name: 'f1.csv' }], pagination: { total: 2 } });
  const { uploadedFile } = await ask('query ($id: ID!) { uploadedFile(id: $id) { name } }', { id: uploadedFiles.nodes[0].id });
  expect(uploadedFile.name).toBe('f2.csv');
});
