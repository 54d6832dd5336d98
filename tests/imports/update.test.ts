import { type Catalog, ok, openCatalog } from '../catalog/catalog.ts';
import { ended } from '../catalog/enrichment.ts';
import { readUntil } from '../support/until.ts';
import { csv, sendForm } from '../uploads/files.ts';

const JOBS = '/ai-import-jobs';
let catalog: Catalog;
beforeEach(async () => {
  catalog = await openCatalog();
});

const attribute = (input: object, of = catalog) =>
  of.graphql('mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }', { input });

async function found(text: string, of = catalog): Promise<string> {
  const { body } = await sendForm(of, `${JOBS}/create`, [csv(text, 'products.csv')]);
  expect(await ended(of, body.data.jobId)).toBe('completed');
  return body.data.jobId;
}

const FINALIZE = `mutation ($jobId: ID!, $mode: ImportMode, $matchBy: ImportMatch, $emptyCells: EmptyCells, $overwrite: OverwriteMode) {
  finalizeAiImportJob(jobId: $jobId, all: true, mode: $mode, matchBy: $matchBy, emptyCells: $emptyCells, overwrite: $overwrite) {
    imported failed created updated unchanged
  }
}`;
const finalize = async (jobId: string, options: object = {}, of = catalog) =>
  (await of.graphql(FINALIZE, { mode: 'both', ...options, jobId })).finalizeAiImportJob;

const DIFFERENCES = `query ($job: ID!, $matchBy: ImportMatch, $emptyCells: EmptyCells, $overwrite: OverwriteMode) {
  importItems(jobId: $job) {
    nodes {
      data { sku } errorMessage
      differences(matchBy: $matchBy, emptyCells: $emptyCells, overwrite: $overwrite) { field before after isProtected }
    }
  }
}`;
const differences = async (job: string, options: object = {}) =>
  (await catalog.graphql(DIFFERENCES, { job, ...options })).importItems.nodes;

const PRODUCT =
  'query ($sku: String) { product(sku: $sku) { id name brand externalId parentId isParent userProvidedRawDataSources values { slug value sourceKind } } }';
const product = async (sku: string) => (await catalog.graphql(PRODUCT, { sku })).product;

test('a file changes products that exist and creates the others, with the differences shown before', async () => {
  await attribute({ slug: 'weight', name: 'Weight', type: 'number', unit: 'kg' });
  await finalize(await found('SKU,Name,Brand,Weight,Note\nA,Anvil,Norrvik,900 kg,old\nB,Bolt,Norrvik,1 kg,\n'));
  const job = await found('SKU,Name,Brand,Weight,Note\nA,Anvil,Acme,90 kg,new\nB,Bolt,Norrvik,1 kg,\nC,Clamp,Acme,2 kg,\n');
  expect(await differences(job)).toEqual([
    {
      data: { sku: 'A' },
      errorMessage: null,
      differences: [
        { field: 'brand', before: 'Norrvik', after: 'Acme', isProtected: false },
        { field: 'weight', before: 900, after: 90, isProtected: false },
      ],
    },
    { data: { sku: 'B' }, errorMessage: null, differences: [] },
    { data: { sku: 'C' }, errorMessage: null, differences: null },
  ]);
  expect(await product('A')).toMatchObject({ brand: 'Norrvik' });
  expect(await finalize(job)).toEqual({ imported: 3, failed: 0, created: 1, updated: 1, unchanged: 1 });
  expect(await product('A')).toMatchObject({
    ...{ brand: 'Acme', userProvidedRawDataSources: ['Note: new'] },
    values: [{ slug: 'weight', value: 90, sourceKind: 'import' }],
  });
});

test('values of people stay unless the file may replace all', async () => {
  await attribute({ slug: 'color', name: 'Color', type: 'text' });
  const id = await catalog.create({ sku: 'A', name: 'Anvil', attributes: { color: { attributeType: 'text', value: 'red' } } });
  const job = await found('SKU,Name,Color\nA,Anvil,blue\n');
  expect(await differences(job)).toMatchObject([
    { differences: [{ field: 'color', before: 'red', after: 'blue', isProtected: true }] },
  ]);
  expect(await finalize(job, { mode: 'update' })).toMatchObject({ unchanged: 1 });
  expect(await product('A')).toMatchObject({ id, values: [{ value: 'red' }] });
  const again = await found('SKU,Name,Color\nA,Anvil,blue\n');
  expect(await finalize(again, { mode: 'update', overwrite: 'all' })).toMatchObject({ updated: 1 });
  expect(await product('A')).toMatchObject({ values: [{ value: 'blue', sourceKind: 'import' }] });
});

test('empty cells leave values, or clear them by choice', async () => {
  await attribute({ slug: 'color', name: 'Color', type: 'text' });
  await finalize(await found('SKU,Name,Brand,Color\nA,Anvil,Norrvik,red\n'));
  expect(await finalize(await found('SKU,Name,Brand,Color\nA,Anvil,,\n'))).toMatchObject({ unchanged: 1 });
  expect(await finalize(await found('SKU,Name,Brand,Color\nA,Anvil,,\n'), { emptyCells: 'clear' })).toMatchObject({ updated: 1 });
  expect(await product('A')).toMatchObject({ name: 'Anvil', brand: null, values: [] });
});

test('products are found by external id, and a SKU that another product has fails only its item', async () => {
  await catalog.create({ sku: 'A', externalId: 'E-1' });
  await catalog.create({ sku: 'B', externalId: 'E-2' });
  await catalog.create({ sku: 'T' });
  const job = await found('SKU,Name,External ID\nA-2,Anvil,E-1\nT,Bolt,E-2\n,Clamp,E-3\n');
  expect(await finalize(job, { mode: 'update', matchBy: 'externalId' })).toMatchObject({ updated: 1, failed: 2 });
  expect((await differences(job)).map(({ errorMessage }: { errorMessage: string }) => errorMessage)).toEqual([
    null,
    'A product with the SKU T already exists.',
    'No product has the external id E-3',
  ]);
  expect(await product('A-2')).toMatchObject({ externalId: 'E-1' });
});

test('a file moves a product below a parent, and refuses to make a parent a variant', async () => {
  await catalog.create({ sku: 'T', name: 'Shirt', isParent: true });
  await catalog.create({ sku: 'T-S', name: 'Shirt S' });
  await catalog.create({ sku: 'P', name: 'Pants', isParent: true });
  const job = await found('SKU,Name,Parent SKU\nT,Shirt,\nT-S,Shirt S,T\nP,Pants,T\n');
  expect(await finalize(job)).toMatchObject({ updated: 1, unchanged: 1, failed: 1 });
  expect(await product('T-S')).toMatchObject({ parentId: (await product('T')).id });
  expect(await product('P')).toMatchObject({ isParent: true, parentId: null });
});

test('an import over REST creates products and changes none', async () => {
  await catalog.create({ sku: 'A', name: 'Anvil' });
  const job = await found('SKU,Name\nA,Other\nB,Bolt\n');
  expect(await catalog.post(`${JOBS}/${job}/finalize`, { all: true })).toEqual(ok({ jobId: job, imported: 1, failed: 1 }));
  expect(await product('A')).toMatchObject({ name: 'Anvil' });
});

const START = 'mutation { createProductExportJob(selection: { filter: {} }) { id } }';

async function exported(of: Catalog): Promise<string> {
  const { id } = (await of.graphql(START)).createProductExportJob;
  expect(await ended(of, id)).toBe('completed');
  const { slug, key } = of.organization;
  const path = `/api/${slug}/product-export-jobs/${id}/download`;
  const answer = await fetch(`${process.env.TEST_URL}${path}`, { headers: { 'x-api-key': key } });
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="products_\d{4}-\d\d-\d\d\.csv"$/);
  // The marker of UTF-8 is part of the file.
  return Buffer.from(await answer.arrayBuffer()).toString();
}

test('an export is read back into an empty organization, and its export is equal', async () => {
  const attributes = [
    { slug: 'weight', name: 'Weight', type: 'number', unit: 'kg' },
    { slug: 'text', name: 'Text', type: 'text' },
    { slug: 'html', name: 'Html', type: 'html' },
    { slug: 'washable', name: 'Washable', type: 'boolean' },
    { slug: 'since', name: 'Since', type: 'date' },
    { slug: 'color', name: 'Color', type: 'select', options: ['Red', 'Blue'] },
    { slug: 'sizes', name: 'Sizes', type: 'multiselect', options: ['S', 'M', 'L'] },
  ];
  const target = await openCatalog();
  for (const each of attributes) for (const owner of [catalog, target]) await attribute(each, owner);
  const value = (type: string, content: unknown) => ({ attributeType: type, value: content });
  const values = {
    ...{ weight: value('number', 1.234), text: value('text', '=1+1, "quoted"\nline; ü'), washable: value('boolean', false) },
    ...{ since: value('date', '2026-02-01'), color: value('select', 'Red'), sizes: value('multiselect', ['S', 'L']) },
    html: value('html', '<p>Soft <b>cotton</b></p>'),
  };
  const parentId = await catalog.create({ sku: 'T', name: 'Shirt', isParent: true, category: 'Kleidung > Hemden' });
  await catalog.create({ sku: 'EMPTY', name: 'Parent without variants', isParent: true });
  await catalog.create({ sku: 'T-1', name: 'Shirt', parentId, attributes: values, externalId: 'E-1', uom: 'piece' });
  await catalog.create({ sku: 'T-2', name: 'Shirt M', parentId, attributes: { weight: value('number', 1000) } });
  await catalog.create({ sku: 'M', name: 'Mug', brand: 'Acme', manufacturer: '-x', mpn: '10.25' });
  const before = await exported(catalog);
  const job = await found(before, target);
  expect(await finalize(job, {}, target)).toEqual({ imported: 5, failed: 0, created: 5, updated: 0, unchanged: 0 });
  expect(await exported(target)).toBe(before);
  // A second time, nothing changes.
  expect(await finalize(await found(before, target), { overwrite: 'all' }, target)).toMatchObject({ unchanged: 5, failed: 0 });
});

test('a new name of a parent changes its variants, too', async () => {
  await finalize(await found('SKU,Name,isParent,parentSku\nP,Family,true,\nV,Variant,,P\n'));
  const variant = async () =>
    (await catalog.graphql('{ product(sku: "V") { parentName updatedAt } }')).product as { parentName: string; updatedAt: string };
  const before = await variant();
  expect(before.parentName).toBe('Family');
  expect(await finalize(await found('SKU,Name,isParent,parentSku\nP,Dynasty,true,\n'))).toMatchObject({ updated: 1, failed: 0 });
  expect((await readUntil(variant, ({ updatedAt }) => updatedAt > before.updatedAt)).parentName).toBe('Dynasty');
});

test('the differences show the parent that a file changes, and one that an empty cell takes away', async () => {
  await finalize(await found('SKU,Name,Parent SKU\nT,Shirt,\nC,Coat,\nT-R,Red shirt,T\nT-B,Blue shirt,T\nC-R,Red coat,C\n'));
  const job = await found('SKU,Name,Parent SKU\nT,Shirt,\nC,Coat,\nT-R,Red shirt,C\nT-B,Blue shirt,T\nC-R,Red coat,\n');
  const parentsOf = async (options: object) =>
    (await differences(job, options)).flatMap(
      ({ data, differences: found }: { data: { sku: string }; differences: { field: string }[] }) =>
        found.filter(({ field }) => field === 'parent').map((each) => ({ sku: data.sku, ...each })),
    );
  const toCoat = { sku: 'T-R', field: 'parent', before: 'T', after: 'C', isProtected: false };
  expect(await parentsOf({})).toEqual([toCoat]);
  expect(await parentsOf({ emptyCells: 'clear' })).toEqual([
    toCoat,
    { sku: 'C-R', field: 'parent', before: 'C', after: null, isProtected: false },
  ]);
  await finalize(job, { emptyCells: 'clear' });
  const { id } = await product('C');
  expect(await product('T-R')).toMatchObject({ parentId: id });
  expect(await product('C-R')).toMatchObject({ parentId: null });
  expect(await parentsOf({ emptyCells: 'clear' })).toEqual([]);
});
