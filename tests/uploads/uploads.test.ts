import { anId, type Catalog, invalid, openCatalog, refused } from '../catalog/catalog.ts';
import { createAttribute, ended, startJob } from '../catalog/enrichment.ts';
import { database } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { csv, jpeg, pdf, png, sendForm, types, upload, webp, workbook } from './files.ts';
import { nestedPdf, zipBomb } from './hostile.ts';
import { form, opening, sendRaw } from './raw.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openCatalog();
});

const kept = async (): Promise<number> => {
  const count = 'select count(*)::int as count from catalog.files where organization_id = $1';
  return (await database().query(count, [catalog.organization.id])).rows[0].count;
};

/** Expected state after a rejected form. */
async function keepsNothing(sending: () => Promise<unknown>, answer: unknown): Promise<void> {
  const before = await kept();
  expect(await sending()).toEqual(answer);
  expect(await kept()).toBe(before);
}

const list = csv('SKU,Colour\nA-1,red\nA-2,blue\n');

test('files of every type are accepted, each with an id', async () => {
  const rows = [
    ['SKU', 'Colour'],
    ['A-1', 'red'],
  ];
  const answer = await upload(catalog, list, workbook(rows), workbook(rows, 'xls'), pdf(['Colour: red']), png, jpeg, webp);
  expect(answer).toEqual({ status: 200, body: { success: true, uploadedFileIds: Array.from({ length: 7 }, () => anId) } });
});

test('one file of another type rejects the whole form', () =>
  keepsNothing(
    () => upload(catalog, list, { name: 'note.txt', type: 'text/plain', content: 'x' }),
    invalid(
      `the type of note.txt must be one of ${[types.pdf, types.csv, types.xlsx, types.xls, types.png, types.jpeg, types.webp].join(', ')}`,
    ),
  ));

test('a file above 20 MB rejects the whole form', () =>
  keepsNothing(
    () => upload(catalog, list, csv('a'.repeat(20 * 1024 * 1024 + 1), 'big.csv')),
    invalid('the file big.csv must be at most 20 MB'),
  ));

test('a form without files is rejected', () => keepsNothing(() => upload(catalog), invalid('files must have at least 1 entry')));

test('a body that is not a form is rejected', async () => {
  expect(await catalog.post('/enrichment-files/upload', {})).toEqual(invalid('the content type must be multipart/form-data'));
});

test('unreadable files are reported with reasons, and the others are accepted', async () => {
  const bomb = { ...workbook([['SKU']]), name: 'bomb.xlsx', content: zipBomb() };
  const { body } = await upload(
    catalog,
    bomb,
    list,
    { ...pdf([]), name: 'scan.pdf' },
    { ...png, name: 'lie.jpg', type: types.jpeg },
  );
  expect(body).toEqual({
    success: false,
    uploadedFileIds: [anId],
    errors: [
      { fileName: 'bomb.xlsx', error: 'the workbook unpacks to more than 64 MB' },
      { fileName: 'scan.pdf', error: 'the PDF has no text; scanned pages cannot be read' },
      { fileName: 'lie.jpg', error: 'the content of the file does not match its type' },
    ],
  });
});

test('the gateway stays responsive while a large file is parsed', async () => {
  let [reading, answered] = [true, 0];
  const sending = upload(catalog, nestedPdf(4, 'a')).finally(() => {
    reading = false;
  });
  while (reading) {
    expect((await fetch(`${process.env.TEST_URL}/healthz`)).status).toBe(200);
    answered += 1;
  }
  expect((await sending).body.success).toBe(true);
  expect(answered).toBeGreaterThan(10);
});

test('a truncated form is rejected', () =>
  keepsNothing(() => sendRaw(catalog, opening(list)), invalid('the form could not be read completely')));

test('a form without a boundary is rejected', () =>
  keepsNothing(
    () => sendRaw(catalog, form(list), { contentType: 'multipart/form-data' }),
    invalid('the form could not be read completely'),
  ));

test('a Content-Length above the limit is rejected before the body is sent', () =>
  keepsNothing(
    () => sendRaw(catalog, opening(list), { length: 250 * 1024 * 1024 }),
    invalid('the files must be at most 200 MB in all'),
  ));

test('a client that disconnects during its file leaves nothing', () =>
  keepsNothing(() => sendRaw(catalog, opening(list), { length: 10_000, leaves: true }), undefined));

test('a client that disconnects during parsing leaves nothing', async () => {
  const before = await kept();
  const sending = sendRaw(catalog, form(nestedPdf(9, 'a')), { leaves: () => kept().then((count) => count > before) });
  expect(await sending).toBeUndefined();
  await until(async () => (await kept()) === before);
});

test('too many fields are rejected', () => {
  const fields = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}`, 'x']));
  return keepsNothing(() => sendForm(catalog, '/enrichment-files/upload', [list], fields), invalid('there are too many fields'));
});

test('an enrichment reads the rows of a file that match the product', async () => {
  await createAttribute(catalog, 'colour');
  const { body } = await upload(catalog, list);
  const id = await catalog.create({ sku: 'A-2' });
  const job = await startJob(catalog, [id], { uploadedFileIds: body.uploadedFileIds });
  expect(await ended(catalog, job)).toBe('completed');
  const { product } = await catalog.graphql('query ($id: ID!) { product(id: $id) { attributes provenance { slug sourceKind } } }', {
    id,
  });
  expect(product.attributes.colour.value).toBe('blue');
  expect(product.provenance).toEqual([{ slug: 'colour', sourceKind: 'file' }]);
});

test('files of another organization cannot be used', async () => {
  const other = await openCatalog();
  const { uploadedFileIds } = (await upload(catalog, list)).body;
  await createAttribute(other, 'colour');
  const productIds = [await other.create({ sku: 'A-1' })];
  const answer = await other.post('/product-enrichment-jobs/create', { productIds, modelType: 'budget-v1', uploadedFileIds });
  expect(answer).toEqual(refused(404, 'File not found', { missingIds: uploadedFileIds }));
});
