import { type Catalog, ok, openCatalog, unknownId } from '../catalog/catalog.ts';
import { ended } from '../catalog/enrichment.ts';
import { caller } from '../support/client.ts';
import { database } from '../support/seed.ts';
import { csv, type Sent, upload, workbook } from '../uploads/files.ts';

let catalog: Catalog;
beforeEach(async () => {
  catalog = await openCatalog();
});

const attribute = async (input: object, of = catalog): Promise<string> =>
  (await of.graphql('mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }', { input })).createAttribute.id;

async function uploaded(...files: Sent[]): Promise<string[]> {
  const { body } = await upload(catalog, ...files);
  expect(body.errors ?? []).toEqual([]);
  return body.uploadedFileIds;
}

const PROPOSE = `query ($files: [ID!]!, $mapping: [ImportTableMapping!]) {
  proposeImportMapping(uploadedFileIds: $files, mapping: $mapping) {
    fileId file sheet pages saved { supplier }
    columns { column field attribute { id slug } newAttribute { slug } unit decimalMark detectedUnit detectedDecimalMark isIgnored reason samples }
    rows { row data { name sku } parent values { slug value } source { column cell } questions { column readings } }
  }
}`;
const propose = async (files: string[], mapping?: object[]) =>
  (await catalog.graphql(PROPOSE, { files, mapping })).proposeImportMapping;

const CREATE = `mutation ($files: [ID!]!, $mapping: [ImportTableMapping!]) {
  createAiImportJob(input: { uploadedFileIds: $files }, importMapping: $mapping) { id totalCount cost }
}`;
async function imported(files: string[], mapping: object[]) {
  const { createAiImportJob } = await catalog.graphql(CREATE, { files, mapping });
  expect(await ended(catalog, createAiImportJob.id)).toBe('completed');
  return createAiImportJob.id as string;
}
const refusal = (mapping: object[], files: string[]) => catalog.refusal(CREATE, { files, mapping });

const ITEMS = `query ($job: ID!) {
  importItems(jobId: $job) {
    nodes { type data { name sku brand } rows { row } values { slug value } source { column cell } questions { key readings } }
  }
}`;
const itemsOf = async (job: string) => (await catalog.graphql(ITEMS, { job })).importItems.nodes;

const SAVE = `mutation ($input: NewImportMapping!) { saveImportMapping(input: $input) { id supplier columns { column attributeId } } }`;
const save = async (supplier: string, columns: object[]) =>
  (await catalog.graphql(SAVE, { input: { supplier, columns } })).saveImportMapping;

const FILE = 'Art;Text;Gew;Farbe;Intern\nA-1;Anvil;1.250;red;x\nA-2;Bolt;0.500;blue;y\n';

test('a proposal shows the use of each column with its reason, samples, and the first rows as they will be', async () => {
  await attribute({ slug: 'weight', name: 'Gewicht', type: 'number', unit: 'kg' });
  await attribute({ slug: 'color', name: 'Farbe', type: 'text' });
  const [file] = await uploaded(
    csv('Artikelnummer;Bezeichnung;weight (g);Farbe;Lager\nA-1;Anvil;1.250;red;7\nA-2;Bolt;500;;\n', 'Preise.csv'),
  );
  const [table] = await propose([file!]);
  expect(table).toMatchObject({ fileId: file, file: 'Preise.csv', sheet: 'CSV', pages: 1, saved: [] });
  expect(table.columns).toMatchObject([
    { column: 'Artikelnummer', field: 'sku', reason: 'header', samples: ['A-1', 'A-2'] },
    { column: 'Bezeichnung', field: 'name', reason: 'header' },
    {
      column: 'weight (g)',
      attribute: { slug: 'weight' },
      ...{ unit: null, detectedUnit: 'g', decimalMark: null, detectedDecimalMark: null },
      reason: 'slug',
      samples: ['1.250', '500'],
    },
    { column: 'Farbe', attribute: { slug: 'color' }, reason: 'name', samples: ['red'] },
    { column: 'Lager', field: null, attribute: null, reason: null, samples: ['7'] },
  ]);
  expect(table.rows).toMatchObject([
    {
      ...{ row: 2, data: { name: 'Anvil', sku: 'A-1' }, values: [{ slug: 'color', value: 'red' }] },
      questions: [{ column: 'weight (g)', readings: [0.00125, 1.25] }],
    },
    { row: 3, values: [{ slug: 'weight', value: 0.5 }], questions: [] },
  ]);
  const uses = [
    { column: 'Artikelnummer', field: 'sku' },
    { column: 'Bezeichnung', field: 'name' },
    { column: 'weight (g)', attributeId: await idOf('weight'), unit: 'g', decimalMark: 'comma' },
    { column: 'Lager', isIgnored: true },
  ];
  const [tried] = await propose([file!], [{ fileId: file, columns: uses }]);
  expect(tried.columns[2]).toMatchObject({ reason: 'choice', decimalMark: 'comma' });
  expect(tried.rows[0]).toMatchObject({
    ...{ values: [{ slug: 'weight', value: 1.25 }], questions: [], source: [{ column: 'Farbe', cell: 'red' }] },
  });
});

const idOf = async (slug: string): Promise<string> =>
  (await catalog.graphql('{ attributes { id slug } }', {})).attributes.find((each: { slug: string }) => each.slug === slug).id;

test('a mapped table is imported as the mapping says, with a new attribute, without a model and without a charge', async () => {
  const color = await attribute({ slug: 'shade', name: 'Shade', type: 'text' });
  const [file] = await uploaded(csv(FILE));
  const columns = [
    { column: 'Art', field: 'sku' },
    { column: 'Text', field: 'name' },
    { column: 'Gew', newAttribute: { name: 'Weight', slug: 'mass', type: 'number', unit: 'kg' }, unit: 'kg', decimalMark: 'point' },
    { column: 'Farbe', attributeId: color },
    { column: 'Intern', isIgnored: true },
  ];
  const job = await imported([file!], [{ fileId: file, columns }]);
  expect(await itemsOf(job)).toMatchObject([
    {
      ...{ type: 'standalone', data: { name: 'Anvil', sku: 'A-1' }, rows: [{ row: 2 }], source: [], questions: [] },
      values: [
        { slug: 'mass', value: 1.25 },
        { slug: 'shade', value: 'red' },
      ],
    },
    { data: { sku: 'A-2' }, values: [{ value: 0.5 }, { value: 'blue' }] },
  ]);
  expect((await catalog.graphql('query ($id: ID!) { job(id: $id) { cost } }', { id: job })).job).toEqual({ cost: 0 });
  expect(await catalog.post(`/ai-import-jobs/${job}/finalize`, { all: true })).toEqual(ok({ jobId: job, imported: 2, failed: 0 }));
  // The same mapping again uses the attribute that it has made.
  expect(await itemsOf(await imported([file!], [{ fileId: file, columns }]))).toHaveLength(2);
});

test('variants, rows without a name, repeated rows and lines below the table are accounted for without a model', async () => {
  const [file] = await uploaded(
    csv('Nr,Titel,Gehört zu\nT,Shirt,\nT-R,Shirt red,T\nT-B,,T\nT-R,Shirt red,T\nNR , titel,Gehört zu\n,,"as of today"\n'),
  );
  const columns = [
    { column: 'Nr', field: 'sku' },
    { column: 'Titel', field: 'name' },
    { column: 'Gehört zu', field: 'parent' },
  ];
  const job = await imported([file!], [{ fileId: file, columns }]);
  expect(await itemsOf(job)).toMatchObject([
    { type: 'family', data: { sku: 'T' } },
    { type: 'product', data: { sku: 'T-R' }, rows: [{ row: 3 }, { row: 5 }] },
    { type: 'product', data: { sku: 'T-B' }, questions: [{ key: 'name' }] },
  ]);
  const { importAccount, importNotes } = await catalog.graphql(
    'query ($job: ID!) { importAccount(jobId: $job) { rowsRead items merged skipped inQuestion } importNotes(jobId: $job) { nodes { row message } } }',
    { job },
  );
  expect(importAccount).toEqual({ rowsRead: 6, items: 3, merged: 1, skipped: 2, inQuestion: 1 });
  expect(importNotes.nodes).toContainEqual({ row: 6, message: 'The row repeats the header.' });
});

test('a mapped row with more cells than the table has columns is read, and its further cells change nothing', async () => {
  const [file] = await uploaded(csv('Nr,Titel\nA-1,Anvil,heavy,,\nNr,Titel,,\nB-1,Bolt\n'));
  const columns = [
    { column: 'Nr', field: 'sku' },
    { column: 'Titel', field: 'name' },
  ];
  const job = await imported([file!], [{ fileId: file, columns }]);
  expect(await itemsOf(job)).toMatchObject([{ data: { sku: 'A-1', name: 'Anvil' } }, { data: { sku: 'B-1', name: 'Bolt' } }]);
  const { importNotes } = await catalog.graphql('query ($job: ID!) { importNotes(jobId: $job) { nodes { row message } } }', {
    job,
  });
  expect(importNotes.nodes).toEqual([{ row: 3, message: 'The row repeats the header.' }]);
});

test('tables of a workbook that are not mapped are read by the model, and pages of a mapped one together', async () => {
  const rows = Array.from({ length: 1_100 }, (_, n) => `M-${n},Mug ${n}`);
  const [mugs, list] = await uploaded(
    csv(`Code,Titel\n${rows.join('\n')}\n`),
    workbook([
      ['SKU', 'Name'],
      ['B-1', 'Bowl'],
    ]),
  );
  const columns = [
    { column: 'Code', field: 'sku' },
    { column: 'Titel', field: 'name' },
  ];
  const { createAiImportJob: job } = await catalog.graphql(CREATE, {
    files: [mugs, list],
    mapping: [{ fileId: mugs, columns }],
  });
  expect(job.totalCount).toBe(3);
  expect(await ended(catalog, job.id)).toBe('completed');
  const { importItems, job: done } = await catalog.graphql(
    `query ($id: ID!) { job(id: $id) { cost totalExtracted } importItems(jobId: $id, page: 6, limit: 200) { nodes { data { sku } } } }`,
    { id: job.id },
  );
  expect(done).toEqual({ cost: 5, totalExtracted: 1_101 });
  expect(importItems.nodes.at(-1).data.sku).toBe('B-1');
  expect(importItems.nodes.at(-2).data.sku).toBe('M-1099');
});

test('a saved mapping is found again by the same columns in any order, and knows its attributes in other files', async () => {
  const weight = await attribute({ slug: 'weight', name: 'Weight', type: 'number', unit: 'kg' });
  const columns = [
    { column: 'Art', field: 'sku' },
    { column: 'Text', field: 'name' },
    { column: 'Gew', attributeId: weight, unit: 'g', decimalMark: 'comma' },
    { column: 'Farbe' },
    { column: 'Intern', isIgnored: true },
  ];
  const saved = await save('Norrvik', columns);
  expect(await save(' Norrvik ', columns)).toMatchObject({ id: saved.id });
  const [same, other] = await uploaded(
    csv('Intern;Gew;Text;Farbe;Art\nx;1.250;Anvil;red;A-1\n'),
    csv('SKU,Name,gew.\nB-1,Bolt,"1.500"\n'),
  );
  const [found, similar] = await propose([same!, other!]);
  expect(found.saved).toEqual([{ supplier: 'Norrvik' }]);
  expect(found.columns).toMatchObject([
    { column: 'Intern', isIgnored: true, reason: 'saved' },
    { column: 'Gew', attribute: { slug: 'weight' }, unit: 'g', decimalMark: 'comma', reason: 'saved' },
    { column: 'Text', field: 'name', reason: 'saved' },
    { column: 'Farbe', reason: null },
    { column: 'Art', field: 'sku', reason: 'saved' },
  ]);
  expect(found.rows[0]).toMatchObject({ data: { sku: 'A-1' }, values: [{ slug: 'weight', value: 1.25 }] });
  expect(similar.saved).toEqual([]);
  expect(similar.columns[2]).toMatchObject({ attribute: { slug: 'weight' }, unit: 'g', reason: 'synonym' });
  // An import without a mapping, such as one over REST, reads the file as before.
  const { createAiImportJob } = await catalog.graphql(CREATE, { files: [other] });
  await ended(catalog, createAiImportJob.id);
  expect(await itemsOf(createAiImportJob.id)).toMatchObject([{ values: [], source: [{ column: 'gew.', cell: '1.500' }] }]);

  const list = async () =>
    (await catalog.graphql('{ importMappings { nodes { id supplier } pagination { total } } }', {})).importMappings;
  expect(await list()).toEqual({ nodes: [{ id: saved.id, supplier: 'Norrvik' }], pagination: { total: 1 } });
  await catalog.graphql('mutation ($id: ID!) { deleteImportMapping(id: $id) { deleted } }', { id: saved.id });
  expect(await list()).toMatchObject({ nodes: [] });
  expect((await propose([other!]))[0].columns[2]).toMatchObject({ attribute: null, reason: null });
});

test('a decimal mark that a file shows is not saved with its columns, and the next file is read by its own', async () => {
  await attribute({ slug: 'weight', name: 'Weight', type: 'number', unit: 'kg' });
  const [german, english] = await uploaded(
    csv('SKU;Name;Weight (g)\nA-1;Anvil;1,5\nA-2;Bolt;2,125\n'),
    csv('SKU,Name,Weight (g)\nA-1,Anvil,1.5\nA-2,Bolt,2.125\n'),
  );
  const [{ columns }] = await propose([german!]);
  expect(columns[2]).toMatchObject({ unit: null, decimalMark: null, detectedUnit: 'g', detectedDecimalMark: 'comma' });
  const chosen = columns.map(({ column, field, attribute: own, unit, decimalMark, isIgnored }: Chosen) => ({
    ...{ column, field, attributeId: own?.id, unit, decimalMark, isIgnored },
  }));
  await save('Norrvik', chosen);
  const [next] = await propose([english!]);
  expect(next.columns[2]).toMatchObject({ reason: 'saved', decimalMark: null, detectedDecimalMark: 'point' });
  expect(next.rows.map(({ values }: { values: unknown }) => values)).toEqual([
    [{ slug: 'weight', value: 0.0015 }],
    [{ slug: 'weight', value: 0.002125 }],
  ]);
  const job = await imported([english!], [{ fileId: english, columns: chosen }]);
  expect(await itemsOf(job)).toMatchObject([{ values: [{ value: 0.0015 }] }, { values: [{ value: 0.002125 }] }]);
});

interface Chosen {
  column: string;
  field: string | null;
  attribute: { id: string } | null;
  unit: string | null;
  decimalMark: string | null;
  isIgnored: boolean;
}

test('a mapping that names no table, column or attribute of the organization is refused, and nothing is created', async () => {
  const stranger = await openCatalog();
  const foreign = await attribute({ slug: 'secret', name: 'Secret', type: 'text' }, stranger);
  const [file] = await uploaded(csv(FILE));
  const sku = { column: 'Art', field: 'sku' };
  const codes = async (mapping: object) => {
    const { code, message } = await refusal([{ fileId: file, ...mapping }], [file!]);
    return [code, message];
  };
  expect(await codes({ columns: [{ column: 'Text' }] })).toEqual([
    'INVALID_INPUT',
    'mapping[0].columns must have a column for sku or name',
  ]);
  expect(await codes({ columns: [sku, { column: 'Nothing' }] })).toEqual([
    'INVALID_INPUT',
    'mapping[0].columns[1].column is no column of the table',
  ]);
  expect(await codes({ sheet: 'Prices', columns: [sku] })).toEqual(['INVALID_INPUT', 'mapping[0] names no table of the files']);
  expect(await codes({ columns: [sku, { column: 'Text', field: 'sku' }] })).toEqual([
    'INVALID_INPUT',
    'mapping[0].columns[1] repeats the column, field or attribute of another entry',
  ]);
  expect(await codes({ columns: [sku, { column: '__proto__' }] })).toContain('INVALID_INPUT');
  for (const attributeId of [foreign, unknownId, 'nonsense']) {
    expect(await codes({ columns: [sku, { column: 'Farbe', attributeId }] })).toEqual(['NOT_FOUND', 'Attribute not found']);
    const saved = await catalog.refusal(SAVE, { input: { supplier: 'X', columns: [sku, { column: 'Farbe', attributeId }] } });
    expect(saved).toMatchObject({ code: 'NOT_FOUND' });
  }
  const ofStranger = await stranger.refusal(CREATE, { files: [file], mapping: [{ fileId: file, columns: [sku] }] });
  expect(ofStranger).toMatchObject({ code: 'NOT_FOUND' });
  expect(await catalog.graphql('{ jobs { nodes { id } } importMappings { nodes { id } } }', {})).toEqual({
    ...{ jobs: { nodes: [] }, importMappings: { nodes: [] } },
  });
});

test('only admins create attributes by a mapping, and an attribute of another type is a conflict', async () => {
  await attribute({ slug: 'mass', name: 'Mass', type: 'text' });
  const [file] = await uploaded(csv(FILE));
  const columns = [
    { column: 'Art', field: 'sku' },
    { column: 'Gew', newAttribute: { name: 'Weight', slug: 'mass', type: 'number' } },
  ];
  expect(await refusal([{ fileId: file, columns }], [file!])).toMatchObject({
    ...{ code: 'CONFLICT', message: 'The attribute mass has the type text.' },
  });
  const member = caller((await catalog.organization.addMember('member')).key);
  const other = [columns[0], { column: 'Gew', newAttribute: { name: 'Weight', slug: 'weight', type: 'number' } }];
  expect(await member.refusal(CREATE, { files: [file], mapping: [{ fileId: file, columns: other }] })).toMatchObject({
    ...{ code: 'FORBIDDEN', message: 'Only admins can create attributes.' },
  });
});

const ASK = `mutation ($file: ID!) {
  askImportMapping(uploadedFileId: $file) { columns { column field attribute { slug } newAttribute { slug type } reason } rows { values { slug } } }
}`;
const balance = async () => {
  const { rows } = await database().query('select credits from identity.organizations where id = $1', [catalog.organization.id]);
  return Number(rows[0].credits);
};

test('a model proposes uses only for columns that nothing else matched, for one credit', async () => {
  await attribute({ slug: 'ean', name: 'EAN', type: 'text' });
  await attribute({ slug: 'surface', name: 'Surface finish', type: 'text' });
  const [file, known] = await uploaded(
    csv('SKU,Name,EAN,Finish of the coating,Depth\nA-1,Anvil,4006381333931,matt,12\n'),
    csv('SKU,Name,EAN\nA-1,Anvil,4006381333931\n'),
  );
  const before = await balance();
  const [table] = (await catalog.graphql(ASK, { file })).askImportMapping;
  expect(table.columns).toEqual([
    { column: 'SKU', field: 'sku', attribute: null, newAttribute: null, reason: 'header' },
    { column: 'Name', field: 'name', attribute: null, newAttribute: null, reason: 'header' },
    { column: 'EAN', field: null, attribute: { slug: 'ean' }, newAttribute: null, reason: 'slug' },
    { column: 'Finish of the coating', field: null, attribute: { slug: 'surface' }, newAttribute: null, reason: 'model' },
    { column: 'Depth', field: null, attribute: null, newAttribute: { slug: 'depth', type: 'number' }, reason: 'model' },
  ]);
  expect(table.rows).toEqual([{ values: [{ slug: 'ean' }, { slug: 'surface' }, { slug: 'depth' }] }]);
  expect(await balance()).toBe(before - 1);
  await catalog.graphql(ASK, { file: known });
  expect(await balance()).toBe(before - 1);
});

test('a model also answers about the columns that a saved mapping leaves open', async () => {
  const columns = [{ column: 'SKU', field: 'sku' }, { column: 'Depth' }, { column: 'Intern', isIgnored: true }];
  await save('Norrvik', columns);
  const [file] = await uploaded(csv('SKU,Depth,Intern\nA-1,12,x\n'));
  const [table] = (await catalog.graphql(ASK, { file })).askImportMapping;
  expect(table.columns).toMatchObject([
    { column: 'SKU', field: 'sku', reason: 'saved' },
    { column: 'Depth', newAttribute: { slug: 'depth', type: 'number' }, reason: 'model' },
    { column: 'Intern', newAttribute: null, reason: 'saved' },
  ]);
});

test('a model that fails costs nothing, and without credits it is not asked', async () => {
  const [broken, file] = await uploaded(csv('SKU,[[provider: 401 9 columns]]\nA-1,x\n'), csv('SKU,Depth\nA-1,12\n'));
  const before = await balance();
  expect(await catalog.refusal(ASK, { file: broken })).toMatchObject({ code: 'UNAVAILABLE' });
  expect(await balance()).toBe(before);
  const poor = await openCatalog({ credits: 0 });
  const { body } = await upload(poor, csv('SKU,Depth\nA-1,12\n'));
  expect(await poor.refusal(ASK, { file: body.uploadedFileIds[0] })).toMatchObject({ code: 'OUT_OF_CREDITS' });
  expect(await poor.refusal(ASK, { file })).toMatchObject({ code: 'NOT_FOUND' });
});

test('without credits, a file is imported if all its tables are mapped', async () => {
  const poor = await openCatalog({ credits: 0 });
  const { body } = await upload(poor, csv(FILE), csv('SKU,Name\nB-1,Bolt\n'));
  const [mapped, other] = body.uploadedFileIds;
  const mapping = [{ fileId: mapped, columns: [{ column: 'Art', field: 'sku' }] }];
  expect(await poor.refusal(CREATE, { files: [mapped, other], mapping })).toMatchObject({ code: 'OUT_OF_CREDITS' });
  const { createAiImportJob } = await poor.graphql(CREATE, { files: [mapped], mapping });
  expect(await ended(poor, createAiImportJob.id)).toBe('completed');
});
