import { type Catalog, openCatalog } from '../catalog/catalog.ts';
import { ended } from '../catalog/enrichment.ts';
import { csv, type Sent, upload, workbook } from '../uploads/files.ts';

let catalog: Catalog;
beforeEach(async () => {
  catalog = await openCatalog();
});

const sent = async (...files: Sent[]) => {
  const { body } = await upload(catalog, ...files);
  return body as { uploadedFileIds: string[]; errors?: { error: string }[] };
};
const PROPOSE = `query ($files: [ID!]!, $mapping: [ImportTableMapping!]) {
  proposeImportMapping(uploadedFileIds: $files, mapping: $mapping) {
    sheet columns { column samples } rows { data { sku name } parent values { slug value } source { column cell } questions { column } }
  }
}`;
const propose = async (files: string[], mapping?: object[]) =>
  (await catalog.graphql(PROPOSE, { files, mapping })).proposeImportMapping;

const CREATE = `mutation ($file: ID!, $mapping: [ImportTableMapping!]) {
  createAiImportJob(input: { uploadedFileIds: [$file] }, importMapping: $mapping) { id }
}`;
async function imported(file: string, columns: object[], sheet?: string) {
  const { createAiImportJob } = await catalog.graphql(CREATE, {
    file,
    mapping: [{ fileId: file, ...(sheet && { sheet }), columns }],
  });
  return [createAiImportJob.id, await ended(catalog, createAiImportJob.id)];
}
const itemsOf = async (job: string) =>
  (
    await catalog.graphql(
      'query ($job: ID!) { importItems(jobId: $job) { nodes { data { sku name } source { column cell } values { slug value } } } }',
      { job },
    )
  ).importItems.nodes;
const keyed = [
  { column: 'SKU', field: 'sku' },
  { column: 'Name', field: 'name' },
];

test('headers with the names of properties of objects are columns like others', async () => {
  const { uploadedFileIds } = await sent(csv('SKU,Name,__proto__,constructor,toString,hasOwnProperty\nA,Anvil,p,c,t,h\n'));
  const [table] = await propose(uploadedFileIds);
  expect(table.columns.map(({ column }: { column: string }) => column)).toEqual([
    ...['SKU', 'Name', '__proto__', 'constructor', 'toString', 'hasOwnProperty'],
  ]);
  const [job, status] = await imported(uploadedFileIds[0]!, [...keyed, { column: '__proto__', field: 'brand' }]);
  expect(status).toBe('completed');
  expect(await itemsOf(job!)).toMatchObject([
    { source: [{ column: 'constructor' }, { column: 'toString' }, { column: 'hasOwnProperty' }] },
  ]);
  const save = 'mutation ($input: NewImportMapping!) { saveImportMapping(input: $input) { id } }';
  const input = { supplier: '__proto__', columns: [...keyed, { column: '__proto__' }, { column: 'constructor' }] };
  expect((await catalog.graphql(save, { input })).saveImportMapping.id).toBeTruthy();
  expect(({} as { brand?: string }).brand).toBeUndefined();
});

test('NUL characters, lone surrogates and control characters in headers, cells and names of sheets are harmless', async () => {
  const bad = 'x\u0000y\ud800z\u0007';
  const { utils, write } = await import('@e965/xlsx');
  const book = utils.book_new();
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ['SKU', 'Name', `Note ${'\u0007'}`],
      ['A', 'Anvil', 'bell \u0007 and \ud800'],
    ]),
    'Sheet',
  );
  const file = { ...workbook([['SKU'], ['A']]), content: write(book, { type: 'buffer', bookType: 'xlsx' }) };
  const { uploadedFileIds } = await sent(
    file,
    csv(`SKU,Name,${bad.replaceAll('\u0000', '')}\nA,Anvil,${bad.replaceAll('\u0000', '')}\n`),
  );
  for (const id of uploadedFileIds) {
    const [table] = await propose([id]);
    const [job, status] = await imported(id, keyed, table.sheet);
    expect(status).toBe('completed');
    expect(await itemsOf(job!)).toMatchObject([{ data: { sku: 'A', name: 'Anvil' } }]);
  }
  const refusal = await catalog.refusal(PROPOSE, {
    files: uploadedFileIds,
    mapping: [{ fileId: uploadedFileIds[1], sheet: 'CSV', columns: [...keyed, { column: bad }] }],
  });
  expect(refusal).toMatchObject({ code: 'INVALID_INPUT' });
});

test('tables with too many columns, headers of a megabyte and headers that repeat are refused or bounded', async () => {
  const wide = Array.from({ length: 10_000 }, (_, n) => `C${n}`).join(',');
  const { errors } = await sent(csv(`${wide}\n${wide}\n`));
  expect(errors).toMatchObject([{ error: expect.stringContaining('more than 500 columns') }]);
  const long = 'h'.repeat(1_000_000);
  const { uploadedFileIds } = await sent(csv(`SKU,Name,${long},Note,Note\nA,Anvil,x,one,two\n`));
  const [table] = await propose(uploadedFileIds);
  const names = table.columns.map(({ column }: { column: string }) => column);
  expect(Math.max(...names.map((name: string) => name.length))).toBeLessThanOrEqual(256);
  expect(names.slice(3)).toEqual(['Note', 'Note 2']);
  const [job, status] = await imported(uploadedFileIds[0]!, [...keyed, { column: 'Note 2', isIgnored: true }]);
  expect(status).toBe('completed');
  const [item] = await itemsOf(job!);
  expect(item.source.map(({ cell }: { cell: string }) => cell)).toEqual(['x', 'one']);
});

test('formulas of a file stay texts, and columns that differ only in case are told apart', async () => {
  const formula = '=HYPERLINK("http://evil.example","x")';
  const { uploadedFileIds } = await sent(csv(`SKU,Name,NAME\n"=1+1","${formula.replaceAll('"', '""')}",@SUM(A1)\n`));
  const [job] = await imported(uploadedFileIds[0]!, keyed);
  expect(await itemsOf(job!)).toMatchObject([
    { data: { sku: '=1+1', name: formula }, source: [{ column: 'NAME', cell: '@SUM(A1)' }] },
  ]);
});

test('a mapping cannot be made larger than a table, and each of its texts has a limit', async () => {
  const { uploadedFileIds } = await sent(csv('SKU,Name\nA,Anvil\n'));
  const [fileId] = uploadedFileIds;
  const refused = async (mapping: object[]) => (await catalog.refusal(PROPOSE, { files: uploadedFileIds, mapping })).code;
  const many = Array.from({ length: 501 }, (_, n) => ({ column: `C${n}` }));
  expect(await refused([{ fileId, columns: many }])).toBe('INVALID_INPUT');
  expect(await refused([{ fileId, columns: [{ column: 'x'.repeat(301), field: 'sku' }] }])).toBe('INVALID_INPUT');
  expect(await refused([{ fileId, columns: [] }])).toBe('INVALID_INPUT');
  expect(await refused(Array.from({ length: 21 }, () => ({ fileId, columns: keyed })))).toBe('INVALID_INPUT');
  expect(
    await refused([
      { fileId, columns: keyed },
      { fileId, columns: keyed },
    ]),
  ).toBe('INVALID_INPUT');
  const both = { column: 'Name', newAttribute: { name: 'N', slug: 'n', type: 'text' }, attributeId: fileId };
  expect(await refused([{ fileId, columns: [keyed[0]!, both] }])).toBe('INVALID_INPUT');
  expect(await refused([{ fileId, columns: [keyed[0]!, { column: 'Name', field: 'name', isIgnored: true }] }])).toBe(
    'INVALID_INPUT',
  );
});

test('an attribute that is deleted after the mapping was made leaves a source', async () => {
  const make = 'mutation { createAttribute(input: { name: "Color", slug: "color", type: text }) { id } }';
  const { id } = (await catalog.graphql(make, {})).createAttribute;
  const columns = [...keyed, { column: 'Color', attributeId: id }];
  await catalog.graphql('mutation ($input: NewImportMapping!) { saveImportMapping(input: $input) { id } }', {
    input: { supplier: 'Norrvik', columns },
  });
  await catalog.graphql('mutation ($id: ID!) { deleteAttribute(id: $id) { id } }', { id });
  const { uploadedFileIds } = await sent(csv('SKU,Name,Color\nA,Anvil,red\n'));
  const [table] = await propose(uploadedFileIds);
  expect(table.rows).toMatchObject([{ values: [], source: [{ column: 'Color', cell: 'red' }] }]);
});
