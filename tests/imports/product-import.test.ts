import { type Catalog, ok, openCatalog } from '../catalog/catalog.ts';
import { ended } from '../catalog/enrichment.ts';
import { database } from '../support/seed.ts';
import { readUntil } from '../support/until.ts';
import { csv, sendForm, upload } from '../uploads/files.ts';

let catalog: Catalog;
beforeEach(async () => {
  catalog = await openCatalog();
});

const columns = [
  { column: 'SKU', field: 'sku' },
  { column: 'Name', field: 'name' },
  { column: 'Parent', field: 'parent' },
];
const IMPORT = `mutation ($file: ID!, $mapping: [ImportTableMapping!]) {
  createAiImportJob(input: { uploadedFileIds: [$file] }, importMapping: $mapping) { id }
}`;
/** The import of a table that is read without a model. */
async function found(text: string, of = columns): Promise<string> {
  const { body } = await upload(catalog, csv(text));
  const [file] = body.uploadedFileIds;
  const { createAiImportJob } = await catalog.graphql(IMPORT, { file, mapping: [{ fileId: file, columns: of }] });
  expect(await ended(catalog, createAiImportJob.id)).toBe('completed');
  return createAiImportJob.id;
}
const many = (count: number, row = (n: number) => `P-${n},Product ${n},`) =>
  `SKU,Name,Parent\n${Array.from({ length: count }, (_, n) => row(n)).join('\n')}\n`;

const START = `mutation ($jobId: ID!, $all: Boolean, $itemIds: [ID!], $excludedIds: [ID!], $mode: ImportMode, $matchBy: ImportMatch) {
  createProductImportJob(jobId: $jobId, all: $all, itemIds: $itemIds, excludedIds: $excludedIds, mode: $mode, matchBy: $matchBy) { id kind totalCount }
}`;
const start = async (jobId: string, options: object = { all: true }) =>
  (await catalog.graphql(START, { jobId, ...options })).createProductImportJob;
const jobOf = async (id: string) =>
  (
    await catalog.graphql(
      'query ($id: ID!) { job(id: $id) { status cost processedCount importJobId importCounts { imported created updated unchanged failed } } }',
      { id },
    )
  ).job;
const counts = (given: object) => ({ imported: 0, created: 0, updated: 0, unchanged: 0, failed: 0, ...given });

test('a job imports all items in batches with progress, and costs nothing', async () => {
  const importJobId = await found(many(2_500));
  const job = await start(importJobId);
  expect(job).toMatchObject({ kind: 'product-import', totalCount: 3 });
  expect(await ended(catalog, job.id)).toBe('completed');
  expect(await jobOf(job.id)).toEqual({
    ...{ status: 'completed', cost: 0, processedCount: 3, importJobId },
    importCounts: counts({ imported: 2_500, created: 2_500 }),
  });
  expect(await catalog.total()).toBe(2_500);
  const again = await catalog.refusal(START, { jobId: importJobId, all: true });
  expect(again).toMatchObject({ code: 'UNPROCESSABLE', message: 'All these items are imported already.' });
});

test('families are imported before their variants, and items that cannot be imported are counted', async () => {
  await catalog.create({ sku: 'M', name: 'Mug' });
  const importJobId = await found('SKU,Name,Parent\nT-R,Shirt red,T\nM,Mug,\nT-B,Shirt blue,T\nT,Shirt,\n');
  const job = await start(importJobId);
  expect(await ended(catalog, job.id)).toBe('completed');
  expect((await jobOf(job.id)).importCounts).toEqual(counts({ imported: 3, created: 3, failed: 1 }));
  const { product } = await catalog.graphql('{ product(sku: "T-R") { parentName } }', {});
  expect(product).toEqual({ parentName: 'Shirt' });
  const update = await start(importJobId, { all: true, mode: 'update' });
  await ended(catalog, update.id);
  expect((await jobOf(update.id)).importCounts).toEqual(counts({ imported: 1, unchanged: 1 }));
});

test('chosen items are imported with the families of chosen variants, or all but the excluded ones', async () => {
  const importJobId = await found('SKU,Name,Parent\nA,Anvil,\nT,Shirt,\nT-R,Shirt red,T\nB,Bolt,\n');
  const { importItems } = await catalog.graphql('query ($job: ID!) { importItems(jobId: $job) { nodes { id data { sku } } } }', {
    job: importJobId,
  });
  const idOf = (sku: string) => importItems.nodes.find((item: { data: { sku: string } }) => item.data.sku === sku).id;
  await ended(catalog, (await start(importJobId, { itemIds: [idOf('T-R')] })).id);
  expect(await catalog.total()).toBe(2);
  await ended(catalog, (await start(importJobId, { all: true, excludedIds: [idOf('A')] })).id);
  expect(await catalog.total()).toBe(3);
  expect(await catalog.refusal(START, { jobId: importJobId })).toMatchObject({ code: 'INVALID_INPUT' });
});

test('two jobs and a request for the same items create each product once', async () => {
  const importJobId = await found(many(3_000));
  const [one, two, { body }] = await Promise.all([
    start(importJobId),
    start(importJobId),
    catalog.post(`/ai-import-jobs/${importJobId}/finalize`, { all: true }),
  ]);
  for (const { id } of [one, two]) expect(await ended(catalog, id)).toBe('completed');
  const created = [await jobOf(one.id), await jobOf(two.id)].reduce((sum, job) => sum + job.importCounts.created, 0);
  expect(created + body.data.imported).toBe(3_000);
  expect(body.data.failed).toBe(0);
  expect(await catalog.total()).toBe(3_000);
});

test('a job that is stopped keeps what it has imported, and the rest can be imported later', async () => {
  const importJobId = await found(many(6_000));
  const job = await start(importJobId);
  await readUntil(
    () => jobOf(job.id),
    ({ processedCount }) => processedCount > 0,
  );
  await catalog.graphql('mutation ($id: ID!) { stopJob(id: $id) { status } }', { id: job.id }).catch(() => undefined);
  const stopped = await readUntil(
    () => jobOf(job.id),
    ({ processedCount }) => processedCount === 6,
  );
  const imported = stopped.importCounts.imported;
  expect(await catalog.total()).toBe(imported);
  expect(imported % 1_000).toBe(0);
  if (imported < 6_000) await ended(catalog, (await start(importJobId)).id);
  expect(await catalog.total()).toBe(6_000);
});

test('an external id that is repeated in another batch changes no product twice', async () => {
  await catalog.create({ sku: 'OLD', name: 'Old', externalId: 'E-7' });
  const row = (n: number) => `P-${n},Product ${n},E-${n === 1_500 ? 3 : n === 1_501 ? 7 : n}`;
  const importJobId = await found(many(1_600, row).replace('Parent', 'Ext'), [
    ...columns.slice(0, 2),
    { column: 'Ext', field: 'externalId' },
  ]);
  const job = await start(importJobId, { all: true, mode: 'both', matchBy: 'externalId' });
  await ended(catalog, job.id);
  expect((await jobOf(job.id)).importCounts).toEqual(counts({ imported: 1_598, created: 1_597, updated: 1, failed: 2 }));
  expect(await catalog.total()).toBe(1_598);
});

test('the items of a batch that fails are counted as failed with its reason, and can be imported later', async () => {
  const importJobId = await found(many(500));
  const { organization } = await catalog.graphql('{ organization { storage { bytes } } }', {});
  const setQuota = (bytes: number | null) =>
    database().query('update identity.organizations set storage_quota = $2 where id = $1', [catalog.organization.id, bytes]);
  await setQuota(organization.storage.bytes + 40_000);
  const job = await start(importJobId);
  await ended(catalog, job.id);
  expect((await jobOf(job.id)).importCounts).toEqual(counts({ failed: 500 }));
  const { importItems } = await catalog.graphql(
    'query ($job: ID!) { importItems(jobId: $job, limit: 2) { nodes { status errorMessage } } }',
    {
      job: importJobId,
    },
  );
  const failed = { status: 'failed', errorMessage: expect.stringContaining('Storage limit reached.') };
  expect(importItems.nodes).toEqual([failed, failed]);
  await setQuota(null);
  const again = await start(importJobId);
  await ended(catalog, again.id);
  expect((await jobOf(again.id)).importCounts).toEqual(counts({ imported: 500, created: 500 }));
});

test('an import that was read by a model is imported by a job too', async () => {
  const { body } = await sendForm(catalog, '/ai-import-jobs/create', [csv('SKU,Name\nA,Anvil\n')]);
  await ended(catalog, body.data.jobId);
  await ended(catalog, (await start(body.data.jobId)).id);
  expect(await catalog.post(`/ai-import-jobs/${body.data.jobId}/finalize`, { all: true })).toEqual(
    ok({ jobId: body.data.jobId, imported: 0, failed: 0 }),
  );
  expect(await catalog.total()).toBe(1);
});
