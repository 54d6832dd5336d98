import { randomUUID } from 'node:crypto';
import { anId, aTime, type Catalog, invalid, ok, openCatalog, refused } from '../catalog/catalog.ts';
import { createAttribute, ended } from '../catalog/enrichment.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { csv, pdf, type Sent, sendForm, workbook } from '../uploads/files.ts';

const JOBS = '/ai-import-jobs';
let catalog: Catalog;
beforeEach(async () => {
  catalog = await openCatalog();
});

async function start(files: Sent[], fields: Record<string, string> = {}): Promise<string> {
  const { body } = await sendForm(catalog, `${JOBS}/create`, files, fields);
  if (!body.success) throw new Error(body.message);
  return body.data.jobId;
}

async function found(files: Sent[], fields?: Record<string, string>): Promise<string> {
  const id = await start(files, fields);
  expect(await ended(catalog, id)).toBe('completed');
  return id;
}

const items = async (job: string, body = {}) => (await catalog.post(`${JOBS}/${job}/items/get`, body)).body.data.items;
const finalize = (job: string, body: object) => catalog.post(`${JOBS}/${job}/finalize`, body);

const shirts = csv(
  'SKU,Name,Parent SKU,Colour,Brand\nT,Shirt,,,Norrvik\nT-R,Shirt red,T,red,Norrvik\nT-B,Shirt blue,T,blue,Norrvik\nM-1,Mug,,,Norrvik\n',
);

test('a created job has the documented fields', async () => {
  const { status, body } = await sendForm(catalog, `${JOBS}/create`, [shirts]);
  expect({ status, body }).toEqual(ok({ jobId: anId, status: 'pending', totalFiles: 1, modelType: 'pro-v1', createdAt: aTime }));
  await ended(catalog, body.data.jobId);
  const [job] = (await catalog.post(`${JOBS}/get`)).body.data.jobs;
  expect(job).toEqual({
    id: anId,
    status: 'completed',
    modelType: 'pro-v1',
    totalFiles: 1,
    totalExtracted: 4,
    createdAt: aTime,
    completedAt: aTime,
  });
});

test('a table yields families, variants and single products', async () => {
  const list = await items(await found([shirts]));
  const [mug, family, blue] = list;
  expect(list.map(({ type }: { type: string }) => type)).toEqual(['standalone', 'family', 'product', 'product']);
  const data = { name: 'Mug', sku: 'M-1', brand: 'Norrvik', category: null, manufacturer: null, mpn: null, variantOptions: {} };
  expect(mug).toEqual({
    id: anId,
    type: 'standalone',
    status: 'pending',
    parentItemId: null,
    data,
    errorMessage: null,
    childCount: 0,
  });
  expect(family).toMatchObject({ childCount: 2, data: { name: 'Shirt', sku: 'T', variantOptions: {} } });
  expect(blue).toMatchObject({ parentItemId: family.id, data: { sku: 'T-B', variantOptions: { Colour: 'blue' } } });
});

test('variants without a parent column are grouped by the name they share', async () => {
  const rows = [
    ['Item number', 'Title', 'Size'],
    ['B-1', 'Boot 41', '41'],
    ['B-2', 'Boot 42', '42'],
  ];
  const list = await items(await found([workbook(rows, 'xls')]), { sort: 'type-asc' });
  expect(list.map(({ type, data }: { type: string; data: { sku: string } }) => [type, data.sku]).sort()).toEqual([
    ['family', 'BOOT'],
    ['product', 'B-1'],
    ['product', 'B-2'],
  ]);
});

test('options are taken out of a name as whole words', async () => {
  const list = await items(await found([csv('SKU,Name,Size\nA,Shirt Red S,S\nB,Shirt Blue S,S\nC,Shirt Red M,M\n')]));
  const named = list.map(({ type, data }: { type: string; data: { name: string; sku: string } }) => [type, data.name, data.sku]);
  expect(named).toEqual([
    ['standalone', 'Shirt Blue S', 'B'],
    ['family', 'Shirt Red', 'SHIRT-RED'],
    ['product', 'Shirt Red M', 'C'],
    ['product', 'Shirt Red S', 'A'],
  ]);
});

test('a placeholder in a cell is not a value', async () => {
  const list = await items(await found([csv('SKU,Name,Brand,MPN\nn/a,Anvil,Unknown,-\nA,Bolt,Norrvik,n/a\n')]));
  expect(list.map(({ data }: { data: object }) => data)).toMatchObject([
    { name: 'Anvil', sku: '', brand: null, mpn: null },
    { name: 'Bolt', sku: 'A', brand: 'Norrvik', mpn: null },
  ]);
});

test('rows without a SKU that share a name are products of their own', async () => {
  const list = await items(await found([csv('Name,MPN,Size\nBolt,B-1,\nBolt,B-2,\nShirt,,S\nShirt,,M\nBolt,B-1,')]));
  const of = ({ type, data }: { type: string; data: { mpn: string; variantOptions: object } }) => [
    type,
    data.mpn ?? data.variantOptions,
  ];
  expect(list.map(of)).toEqual(
    expect.arrayContaining([
      ['standalone', 'B-1'],
      ['standalone', 'B-2'],
      ['product', { Size: 'S' }],
      ['product', { Size: 'M' }],
    ]),
  );
  expect(list).toHaveLength(5);
});

test('items are searched by name or SKU and sorted', async () => {
  const job = await found([shirts]);
  const names = async (body: object) => (await items(job, body)).map(({ data }: { data: { name: string } }) => data.name);
  expect(await names({ searchQuery: 'shirt' })).toEqual(['Shirt', 'Shirt blue', 'Shirt red']);
  expect(await names({ searchQuery: 'm-1' })).toEqual(['Mug']);
  expect(await names({ sort: 'name-desc' })).toEqual(['Shirt red', 'Shirt blue', 'Shirt', 'Mug']);
  expect(await catalog.post(`${JOBS}/${job}/items/get`, { limit: 201 })).toEqual(invalid('limit must be at most 200'));
});

test('a large table is read in pages and each product is found once', async () => {
  const rows = Array.from({ length: 120 }, (_, at) => `S-${at},Thing ${at}`);
  const job = await found([
    csv(`SKU,Name\n${rows.join('\n')}\n${rows[0]}`),
    workbook([
      ['SKU', 'Name'],
      ['S-1', 'Thing 1'],
    ]),
  ]);
  const [{ totalExtracted }] = (await catalog.post(`${JOBS}/get`)).body.data.jobs;
  expect(totalExtracted).toBe(120);
  const { job: inGraph } = await catalog.graphql('query ($id: ID!) { job(id: $id) { totalCount } }', { id: job });
  expect(inGraph.totalCount).toBe(4);
});

test('a PDF is read', async () => {
  const [item] = await items(await found([pdf(['Product name: Anvil', 'SKU: AN-1', 'Brand: Norrvik'])]));
  expect(item).toMatchObject({ type: 'standalone', data: { name: 'Anvil', sku: 'AN-1', brand: 'Norrvik' } });
});

test('finalize imports in batches and skips imported items', async () => {
  const job = await found([shirts]);
  const [mug, , blue] = await items(job);
  expect(await finalize(job, { itemIds: [blue.id] })).toEqual(ok({ jobId: job, imported: 2, failed: 0 }));
  expect(await finalize(job, { all: true, excludedIds: [mug.id] })).toEqual(ok({ jobId: job, imported: 1, failed: 0 }));
  expect(await finalize(job, { all: true })).toEqual(ok({ jobId: job, imported: 1, failed: 0 }));
  expect(await finalize(job, { all: true })).toEqual(ok({ jobId: job, imported: 0, failed: 0 }));
  const { products } = (await catalog.post('/products/get', { sortBy: 'sku', sortOrder: 'asc' })).body.data;
  expect(products).toMatchObject([
    { sku: 'M-1', isParent: false, parentId: null },
    { sku: 'T', isParent: true, parentId: null },
    { sku: 'T-B', parentName: 'Shirt' },
    { sku: 'T-R', parentName: 'Shirt' },
  ]);
});

test('concurrent finalizes import once', async () => {
  const job = await found([shirts]);
  const answers = await Promise.all([1, 2, 3].map(() => finalize(job, { all: true })));
  expect(answers.map(({ body }) => body.data.imported).sort()).toEqual([0, 0, 4]);
});

test('a product whose family fails fails too', async () => {
  await catalog.create({ sku: 'T' });
  const job = await found([shirts]);
  expect(await finalize(job, { all: true })).toEqual(ok({ jobId: job, imported: 1, failed: 3 }));
  const failed = (await items(job)).filter(({ status }: { status: string }) => status === 'failed');
  expect(failed.map(({ errorMessage }: { errorMessage: string }) => errorMessage)).toEqual([
    'A product with the SKU T already exists.',
    'The family of this variant was not imported.',
    'The family of this variant was not imported.',
  ]);
});

test.each<[string, Record<string, string>]>([
  [
    'in brackets',
    {
      'enrichmentConfig[modelType]': 'budget-v1',
      'enrichmentConfig[websearch]': 'false',
      'enrichmentConfig[attributeSetId]': '',
    },
  ],
  ['as JSON', { enrichmentConfig: '{"modelType": "budget-v1", "websearch": false}' }],
])('autoEnrich enriches imported products, with settings %s', async (_, settings) => {
  await createAttribute(catalog, 'colour');
  const job = await found([shirts], { autoEnrich: 'true', ...settings });
  await finalize(job, { all: true });
  const [enrichment] = (await catalog.post('/product-enrichment-jobs/get')).body.data.jobs;
  expect(enrichment).toMatchObject({ modelType: 'budget-v1', websearch: false, totalProducts: 4 });
});

test('without autoEnrich nothing is enriched, whatever the settings', async () => {
  const job = await found([shirts], { autoEnrich: 'false', enrichmentConfig: '{"modelType": "budget-v1"}' });
  await finalize(job, { all: true });
  expect((await catalog.post('/product-enrichment-jobs/get')).body.data.jobs).toEqual([]);
});

test('a rejected import stores no file', async () => {
  const create = (files: Sent[], fields = {}) => sendForm(catalog, `${JOBS}/create`, files, fields);
  const large = csv('a'.repeat(20 * 1024 * 1024 + 1), 'large.csv');
  expect(await create([shirts, shirts, shirts, shirts, shirts, shirts])).toEqual(invalid('there are too many files'));
  expect(await create([shirts, large])).toEqual(invalid('the file large.csv must be at most 20 MB'));
  expect((await create([shirts, pdf([])])).status).toBe(400);
  expect((await create([shirts], { autoEnrich: 'true', enrichmentConfig: '{"modelType": "best"}' })).status).toBe(400);
  expect((await create([shirts], { autoEnrich: 'true', enrichmentConfig: '{broken' })).status).toBe(400);
  const kept = 'select from catalog.files where organization_id = $1';
  await until(async () => (await database().query(kept, [catalog.organization.id])).rowCount === 0);
});

test('invalid requests are rejected', async () => {
  const create = (files: Sent[], fields = {}) => sendForm(catalog, `${JOBS}/create`, files, fields);
  expect(await create([])).toEqual(invalid('files must have at least 1 entry'));
  const { organization, url = process.env.TEST_URL! } = catalog;
  const encoded = await fetch(`${url}/api/${organization.slug}${JOBS}/create`, {
    method: 'POST',
    headers: { 'x-api-key': organization.key },
    body: new URLSearchParams({ modelType: 'pro-v1' }),
  });
  expect({ status: encoded.status, body: await encoded.json() }).toEqual(
    invalid('files must have at least 1 entry; the content type must be multipart/form-data'),
  );
  expect(await create([], { modelType: 'pro-v1' })).toEqual(invalid('files must have at least 1 entry'));
  expect(await create(Array.from({ length: 6 }, () => shirts))).toEqual(invalid('there are too many files'));
  expect(await create([shirts], { prompt: 'short' })).toEqual(invalid('prompt must be at least 10 characters'));
  expect(await create([shirts], { autoEnrich: 'yes' })).toMatchObject({ status: 400 });
  expect(await create([pdf([])])).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('sheet.pdf: the PDF has no text') },
  });
  const job = await found([shirts]);
  expect(await finalize(job, {})).toEqual(invalid('all or itemIds is required'));
  expect(await catalog.post(`${JOBS}/${job}/stop`)).toEqual(refused(400, 'Job cannot be stopped because it is not in progress'));
  expect(await catalog.post(`${JOBS}/nothing/items/get`)).toEqual(refused(404, 'Job not found'));
});

test('a stopped import keeps its items and starts no further page', async () => {
  const gate = randomUUID();
  const rows = Array.from({ length: 1_000 }, (_, at) => `S-${at},Thing ${at}`);
  const job = await start([csv(`SKU,Name\n${rows.join('\n')}`)], { prompt: `Everything [[provider: gate 4 ${gate}]]` });
  const extracted = async (): Promise<number> => (await catalog.post(`${JOBS}/get`)).body.data.jobs[0].totalExtracted;
  await until(async () => (await extracted()) === 200);
  expect(await catalog.post(`${JOBS}/${job}/stop`)).toEqual(ok({ jobId: job, status: 'stopped' }));
  await fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER));
  const inHand = `select from catalog.job_items where job_id = $1 and status = 'processing'`;
  await until(async () => (await database().query(inHand, [job])).rowCount === 0);
  const kept = await extracted();
  expect(kept).toBeGreaterThanOrEqual(200);
  // Four finished pages and at most ten running ones.
  expect(kept).toBeLessThanOrEqual(700);
  expect((await catalog.post(`${JOBS}/${job}/items/get`)).body.data.pagination.total).toBe(kept);
  expect(await finalize(job, { all: true })).toEqual(ok({ jobId: job, imported: kept, failed: 0 }));
  expect((await catalog.post(`${JOBS}/get`)).body.data.jobs[0]).toMatchObject({ status: 'stopped', totalExtracted: kept });
});

test('an import with pages that could not be read is completed_with_errors, and the graph names them', async () => {
  const rows = Array.from({ length: 100 }, (_, at) => `S-${at},Thing ${at}`);
  const job = await start([csv(`SKU,Name\n${rows.join('\n')}`)], { prompt: `Everything [[provider: 401 1 ${randomUUID()}]]` });
  expect(await ended(catalog, job)).toBe('completed_with_errors');
  expect((await catalog.post(`${JOBS}/get`)).body.data.jobs[0]).toMatchObject({
    status: 'completed_with_errors',
    totalExtracted: 50,
  });
  expect((await catalog.post(`${JOBS}/${job}/items/get`)).body.data.pagination.total).toBe(50);
  const query = 'query ($job: ID!) { jobItems(jobId: $job) { nodes { ordinal status errorMessage } } }';
  const { jobItems } = await catalog.graphql(query, { job });
  const failed = jobItems.nodes.filter(({ status }: { status: string }) => status === 'failed');
  expect([jobItems.nodes.length, failed]).toEqual([
    2,
    [{ ordinal: expect.any(Number), status: 'failed', errorMessage: expect.any(String) }],
  ]);
});
