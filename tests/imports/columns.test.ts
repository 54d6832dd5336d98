import { type CellAttribute, readCell } from '../../subgraphs/catalog/imports/cells.ts';
import { matchColumns } from '../../subgraphs/catalog/imports/columns.ts';
import { decimalMarks } from '../../subgraphs/catalog/uploads/decimal-marks.ts';
import { type Catalog, ok, openCatalog } from '../catalog/catalog.ts';
import { ended } from '../catalog/enrichment.ts';
import { csv, type Sent, sendForm, workbook } from '../uploads/files.ts';

const JOBS = '/ai-import-jobs';
let catalog: Catalog;
beforeEach(async () => {
  catalog = await openCatalog();
});

const attribute = (input: object) =>
  catalog.graphql('mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }', { input });

async function found(files: Sent[]): Promise<string> {
  const { body } = await sendForm(catalog, `${JOBS}/create`, files);
  expect(await ended(catalog, body.data.jobId)).toBe('completed');
  return body.data.jobId;
}

const ITEMS = `query ($job: ID!) {
  importItems(jobId: $job) {
    nodes {
      id type parentItemId data { name sku uom externalId }
      rows { file sheet row } values { slug column cell value } source { column cell }
      questions { key kind slug column cell text readings statements }
    }
  }
}`;
const itemsOf = async (job: string) => (await catalog.graphql(ITEMS, { job })).importItems.nodes;
const accountOf = async (job: string) =>
  (
    await catalog.graphql(
      'query ($job: ID!) { importAccount(jobId: $job) { rowsRead items inQuestion merged duplicates skipped unread } }',
      { job },
    )
  ).importAccount;
const notesOf = async (job: string) =>
  (await catalog.graphql('query ($job: ID!) { importNotes(jobId: $job) { nodes { kind file sheet row message } } }', { job }))
    .importNotes.nodes;
const PRODUCT = `query ($sku: String) {
  product(sku: $sku) {
    sku uom externalId userProvidedRawDataSources
    values { slug value sourceKind snippet cell { file sheet row column } job { id } }
  }
}`;
const answer = (id: string, answers: object[]) =>
  catalog.graphql(
    'mutation ($id: ID!, $input: ImportItemChange!) { updateImportItem(id: $id, input: $input) { data { name } rows { row } values { slug value } questions { key } } }',
    { id, input: { answers } },
  );

test('columns and cells are recognized by the names and option labels of an attribute in other languages', async () => {
  const translations = [{ language: 'de', name: 'Farbe', options: [{ option: 'Red', label: 'Rot' }] }];
  await attribute({ name: 'Color', slug: 'color', type: 'select', options: ['Red', 'Blue'], translations });
  const job = await found([csv('SKU,Name,Farbe\nA,Chair,rot\nB,Table,Blue\n')]);
  const items = await itemsOf(job);
  expect(items.map(({ values }: { values: unknown }) => values)).toEqual([
    [{ slug: 'color', column: 'Farbe', cell: 'rot', value: 'Red' }],
    [{ slug: 'color', column: 'Farbe', cell: 'Blue', value: 'Blue' }],
  ]);
});

/** A CSV file in windows-1252, as Excel writes it. */
const table = (rows: string[]) => ({
  ...csv('', 'Sortiment.csv'),
  content: Buffer.from(`${rows.join('\r\n')}\r\n`.replaceAll('€', '\x80'), 'latin1'),
});

test('columns become values of attributes with their cell as evidence, and all other columns the source of the product', async () => {
  await attribute({ slug: 'ean', name: 'Barcode', type: 'text' });
  await attribute({ slug: 'weight', name: 'Gewicht', type: 'number', unit: 'kg' });
  await attribute({ slug: 'diagonal', name: 'Bildschirmgröße', type: 'number', unit: 'in' });
  await attribute({ slug: 'waterproof', name: 'Waterproof', type: 'boolean' });
  const job = await found([
    table([
      'Artikelnummer;Bezeichnung;EAN;Gewicht;Bildschirmgröße (Zoll);Waterproof;Farbe;Preis;Mengeneinheit;External ID',
      'AKB-1;Tablet;04006381333931;1.000 g;6,4;ja;grün;1.299,00 €;Stück;E-1',
    ]),
  ]);
  const [item] = await itemsOf(job);
  expect(item).toMatchObject({
    data: { name: 'Tablet', sku: 'AKB-1', uom: 'Stück', externalId: 'E-1' },
    rows: [{ file: 'Sortiment.csv', sheet: 'CSV', row: 2 }],
    values: [
      { slug: 'ean', value: '04006381333931' },
      { slug: 'weight', column: 'Gewicht', cell: '1.000 g', value: 1 },
      { slug: 'diagonal', value: 6.4 },
      { slug: 'waterproof', value: true },
    ],
    source: [
      { column: 'Farbe', cell: 'grün' },
      { column: 'Preis', cell: '1.299,00 €' },
    ],
    questions: [],
  });
  expect(await catalog.post(`${JOBS}/${job}/finalize`, { all: true })).toEqual(ok({ jobId: job, imported: 1, failed: 0 }));
  const { product } = await catalog.graphql(PRODUCT, { sku: 'AKB-1' });
  expect(product).toMatchObject({
    uom: 'Stück',
    externalId: 'E-1',
    userProvidedRawDataSources: ['Farbe: grün\nPreis: 1.299,00 €'],
  });
  expect(product.values).toContainEqual({
    ...{ slug: 'weight', value: 1, sourceKind: 'import', snippet: 'Gewicht: 1.000 g', job: { id: job } },
    cell: { file: 'Sortiment.csv', sheet: 'CSV', row: 2, column: 'Gewicht' },
  });
});

test('a cell with two readings is a question until a person answers it, and stays in the source', async () => {
  await attribute({ slug: 'weight', name: 'Weight', type: 'number', unit: 'g' });
  await attribute({ slug: 'color', name: 'Color', type: 'select', options: ['Red', 'Blue'] });
  const job = await found([csv('SKU,Name,Weight,Color\nA,Anvil,1.000 g,green\nB,Bolt,12 g,RED\n')]);
  const [anvil, bolt] = await itemsOf(job);
  expect(bolt).toMatchObject({ values: [{ value: 12 }, { value: 'Red' }], questions: [] });
  expect(anvil).toMatchObject({
    values: [],
    source: [
      { column: 'Weight', cell: '1.000 g' },
      { column: 'Color', cell: 'green' },
    ],
    questions: [
      { key: 'value weight', kind: 'value', slug: 'weight', readings: [1, 1000] },
      { key: 'value color', kind: 'value', slug: 'color', readings: [] },
    ],
  });
  expect(await accountOf(job)).toMatchObject({ rowsRead: 2, items: 2, inQuestion: 1 });
  const wrong = await catalog.refusal(
    'mutation ($id: ID!, $input: ImportItemChange!) { updateImportItem(id: $id, input: $input) { id } }',
    {
      ...{ id: anvil.id, input: { answers: [{ key: 'value weight', answer: 'heavy' }] } },
    },
  );
  expect(wrong).toMatchObject({ code: 'INVALID_INPUT', message: 'answers.weight.value must be a number for the type number' });
  const { updateImportItem } = await answer(anvil.id, [
    { key: 'value weight', answer: 1000 },
    { key: 'value color', answer: null },
  ]);
  expect(updateImportItem).toMatchObject({ values: [{ slug: 'weight', value: 1000 }], questions: [] });
  await catalog.post(`${JOBS}/${job}/finalize`, { all: true });
  const { product } = await catalog.graphql(PRODUCT, { sku: 'A' });
  expect(product).toMatchObject({ userProvidedRawDataSources: ['Color: green'], values: [{ slug: 'weight', value: 1000 }] });
});

test('rows that state the same product are merged, or shown as duplicates, and the first row counts', async () => {
  await attribute({ slug: 'price', name: 'Price', type: 'number', unit: 'EUR' });
  const job = await found([
    csv('SKU,Name,Price,Note\nA,Anvil,12.50,good\nB,Bolt,1.25,\nA,Anvil (old),11.00,bad\nB,Bolt,1.25,\n'),
    workbook([
      ['SKU', 'Name', 'Brand'],
      ['B', 'Bolt', 'Norrvik'],
    ]),
  ]);
  expect(await accountOf(job)).toEqual({ rowsRead: 5, items: 2, inQuestion: 1, merged: 2, duplicates: 1, skipped: 0, unread: [] });
  expect(await notesOf(job)).toEqual([
    { kind: 'duplicate', file: 'list.csv', sheet: 'CSV', row: 4, message: 'The row differs from row 2 in: name, Price, Note.' },
    { kind: 'merged', file: 'list.csv', sheet: 'CSV', row: 5, message: 'The row states the same product.' },
    { kind: 'merged', file: 'list.xlsx', sheet: 'Products', row: 2, message: 'The row states the same product.' },
  ]);
  const [anvil, bolt] = await itemsOf(job);
  expect(anvil).toMatchObject({
    data: { name: 'Anvil' },
    values: [{ value: 12.5 }],
    questions: [
      {
        ...{ key: 'duplicate', kind: 'duplicate', readings: [2, 4] },
        statements: ['name: Anvil, Price: 12.50, Note: good', 'name: Anvil (old), Price: 11.00, Note: bad'],
      },
    ],
  });
  expect(bolt).toMatchObject({ data: { name: 'Bolt' }, rows: [{ row: 3 }, { row: 5 }, { row: 2 }] });
  const { updateImportItem } = await answer(anvil.id, [{ key: 'duplicate', answer: 4 }]);
  expect(updateImportItem).toMatchObject({ data: { name: 'Anvil (old)' }, values: [{ value: 11 }], questions: [] });
});

test('a row without a name is a question, and a row without a product is skipped with its reason', async () => {
  const job = await found([csv('SKU,Name,Note\nA,Anvil,\n\nB,,\n,,Prices exclude taxes\n')]);
  expect(await accountOf(job)).toMatchObject({ rowsRead: 3, items: 2, inQuestion: 1, skipped: 1 });
  expect(await notesOf(job)).toEqual([
    { kind: 'skipped', file: 'list.csv', sheet: 'CSV', row: 5, message: 'The row has no name and no SKU.' },
  ]);
  const [, bolt] = await itemsOf(job);
  expect(bolt).toMatchObject({
    data: { sku: 'B' },
    rows: [{ row: 4 }],
    questions: [{ key: 'name', kind: 'name', column: 'Name' }],
  });
  expect(await catalog.post(`${JOBS}/${job}/finalize`, { all: true })).toEqual(ok({ jobId: job, imported: 1, failed: 1 }));
  await answer(bolt.id, [{ key: 'name', answer: 'Bolt' }]);
  expect(await catalog.post(`${JOBS}/${job}/finalize`, { all: true })).toEqual(ok({ jobId: job, imported: 1, failed: 0 }));
});

test.each([
  ['by SKU', 'Variante von', 'T'],
  ['by name', 'parentName', 'Shirt'],
])('variants name their parent %s, and its row is the family', async (_, column, parent) => {
  const rows = [`SKU,Name,${column},Size`, 'T,Shirt,,', `T-S,Shirt small,${parent},S`, `T-M,Shirt medium,${parent},M`, 'M,Mug,M,'];
  const job = await found([csv(rows.join('\n'))]);
  const items = await itemsOf(job);
  const family = items.find(({ type }: { type: string }) => type === 'family');
  expect(items.map(({ type, data: { sku } }: { type: string; data: { sku: string } }) => [sku, type])).toEqual([
    ['T', 'family'],
    ['T-S', 'product'],
    ['T-M', 'product'],
    ['M', 'standalone'],
  ]);
  expect(items.filter(({ parentItemId }: { parentItemId: string }) => parentItemId === family.id)).toHaveLength(2);
});

test('a family whose variants share its name is the row of that name, without a second family', async () => {
  const job = await found([csv('SKU,Name,Size\nBOOT-0,Boot,\nB-1,Boot 41,41\nB-2,Boot 42,42\n')]);
  const items = await itemsOf(job);
  expect(items.map(({ type, data: { sku } }: { type: string; data: { sku: string } }) => [sku, type])).toEqual([
    ['BOOT-0', 'family'],
    ['B-1', 'product'],
    ['B-2', 'product'],
  ]);
});

test.each([
  ['a header that is a property of all objects', 'SKU,Name,__proto__,constructor\nA,Anvil,one,two\n'],
  ['a formula', 'SKU,Name,"=HYPERLINK(""http://a.test"")"\nA,Anvil,=1+1\n'],
  ['a NUL-free control character', 'SKU,Name,Note\u0007\nA,Anvil,bell\u0007\n'],
  ['a huge cell', `SKU,Name,Text\nA,Anvil,${'x'.repeat(100_000)}\n`],
])('%s stays text in the source', async (_, text) => {
  const job = await found([csv(text)]);
  const [item] = await itemsOf(job);
  expect(item.source.length).toBeGreaterThan(0);
  expect(await catalog.post(`${JOBS}/${job}/finalize`, { all: true })).toEqual(ok({ jobId: job, imported: 1, failed: 0 }));
  const { product } = await catalog.graphql(PRODUCT, { sku: 'A' });
  expect(product.userProvidedRawDataSources).toHaveLength(1);
});

test('HTML of a cell is cleaned before it is a value', async () => {
  await attribute({ slug: 'description', name: 'Description', type: 'html' });
  const job = await found([csv('SKU,Name,Description\nA,Anvil,<p>Heavy<script>alert(1)</script></p>\n')]);
  await catalog.post(`${JOBS}/${job}/finalize`, { all: true });
  const { product } = await catalog.graphql(PRODUCT, { sku: 'A' });
  expect(product.values).toMatchObject([{ value: '<p>Heavy</p>' }]);
});

test('a translated name never takes the column of an attribute that has the name itself', () => {
  const translations = (name: string) => [{ language: 'de', name, options: [] }];
  const [weight, mass] = [
    { ...usual, id: '1', slug: 'weight', name: 'Gewicht' },
    { ...usual, id: '2', slug: 'mass', name: 'Mass', translations: translations('Gewicht') },
  ];
  const slugs = (headers: string[], attributes: CellAttribute[]) =>
    matchColumns(headers, [], attributes).map(({ attribute: found }) => found?.slug);
  expect(slugs(['Gewicht'], [weight, mass])).toEqual(['weight']);
  expect(slugs(['weight', 'Gewicht'], [mass, weight])).toEqual(['weight', undefined]);
  const withUnit = { ...mass, translations: translations('Gewicht (kg)') };
  expect(slugs(['Gewicht (kg)'], [weight, withUnit])).toEqual(['weight']);
  expect(slugs(['Gewicht'], [mass])).toEqual(['mass']);
  expect(slugs(['Mass year', 'Mass (years)'], [mass])).toEqual([undefined, 'mass']);
});

const usual: CellAttribute = { id: '1', slug: 'a', name: 'A', type: 'number', unit: null, options: [], constraints: {} };

test.each<[cell: string, mark: ',' | '.' | null, unit: string | null, expected: unknown]>([
  ['6,4', null, null, 6.4],
  ['1.000', ',', null, 1000],
  ['1.000', '.', null, 1],
  ['1.000', null, null, [1, 1000]],
  ['1.234,50', null, null, 1234.5],
  ['1,234.50', null, null, 1234.5],
  ['1 234,5', null, null, 1234.5],
  ["1'234.5", null, null, 1234.5],
  ['0,234', null, null, 0.234],
  ['1.000.000', null, null, 1_000_000],
  ['-5', null, null, -5],
  ['12,99 €', null, 'EUR', 12.99],
  ['€ 12,99', null, 'EUR', 12.99],
  ['2,5 kg', null, 'g', 2500],
  ['500 mW', null, 'W', 0.5],
  ['55"', null, 'cm', 139.7],
  ['5 kg', null, 'cm', [5]],
  ['5 kg', null, null, [5]],
  ['10-12', null, null, []],
  ['24 Monate', null, 'years', 2],
  ['1 TB', null, 'GB', 1000],
  ['3.000 U/min', ',', 'rpm', 3000],
  ['65 dB(A)', null, 'dB', 65],
  ['80 Nm', null, 'Nm', 80],
  ['n/a', null, null, null],
])('the number %j with the mark %j for the unit %j is %j', (cell, mark, unit, expected) => {
  const reading = readCell(cell, { ...usual, unit }, { mark, unit: null });
  expect('value' in reading ? reading.value : reading.readings).toEqual(expected);
});

test.each([
  ['24.12.2026', '2026-12-24'],
  ['2026-12-24', '2026-12-24'],
  ['24/12/2026', '2026-12-24'],
  ['03/04/2026', ['2026-04-03', '2026-03-04']],
  ['31.02.2026', []],
])('the date %j is %j', (cell, expected) => {
  const reading = readCell(cell, { ...usual, type: 'date' }, { mark: null, unit: null });
  expect('value' in reading ? reading.value : reading.readings).toEqual(expected);
});

test('the cells of a whole column, or of the other columns, show the decimal mark', () => {
  expect(
    decimalMarks([
      ['1.000', '6,4', 'Battery 2.0'],
      ['2.000', '1,25', ''],
    ]),
  ).toEqual([',', ',', ',']);
  expect(
    decimalMarks([
      ['1,5', '1.5'],
      ['1.000', ''],
    ]),
  ).toEqual([',', '.']);
  expect(decimalMarks([['1,5'], ['1.5']])).toEqual([null]);
  expect(
    decimalMarks([
      [1.234, '1.000'],
      [2, ''],
    ]),
  ).toEqual(['.', null]);
});

test.each([
  ['ean', 'ean'],
  ['E A N', 'ean'],
  ['Gewicht (kg)', 'weight'],
  ['weight_kg', 'weight'],
  ['Bildschirmgroesse', 'diagonal'],
  ['BILDSCHIRMGRÖSSE', 'diagonal'],
  ['Gewichtsklasse', undefined],
])('the header %j is the attribute %j', (header, slug) => {
  const attributes = [
    { ...usual, slug: 'ean', name: 'Barcode' },
    { ...usual, slug: 'weight', name: 'Gewicht' },
    { ...usual, slug: 'diagonal', name: 'Bildschirmgröße' },
  ];
  expect(matchColumns([header], [null], attributes)[0]!.attribute?.slug).toBe(slug);
});
