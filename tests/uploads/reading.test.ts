import { utils, write } from '@e965/xlsx';
import { readInThread } from '../../subgraphs/catalog/uploads/service.ts';
import { csv, jpeg, pdf, png, type Sent, types, webp, workbook } from './files.ts';
import { inflatingPdf, nestedPdf, zipBomb } from './hostile.ts';

const limits = { cpuMs: 30_000, megabytes: 768 };
const read = async ({ type, content }: Sent, more: Partial<typeof limits> = {}, signal?: AbortSignal) => {
  const lists = await readInThread('acme', type, new Uint8Array(Buffer.from(content)), { ...limits, ...more }, signal);
  return lists.flatMap((list) => JSON.parse(Buffer.from(list).toString()));
};
const cut = ({ content, ...file }: Sent, share: number): Sent => ({ ...file, content: content.slice(0, content.length * share) });

test('pages follow the order of the file', async () => {
  const rows = Array.from({ length: 120 }, (_, at) => `S-${at}`);
  const pages = await read(csv(`SKU\n${rows.join('\n')}`));
  expect(pages.map(({ first, rows: { length } }) => [first, length])).toEqual([
    [1, 50],
    [51, 50],
    [101, 20],
  ]);
  expect(pages.flatMap((page) => page.rows.flat())).toEqual(rows);
});

test.each(['xlsx', 'xls'] as const)('a date in a workbook (%s) is the same day in every time zone', async (type) => {
  const day = { t: 'n', v: 46_023, z: 'm/d/yy' };
  const file = workbook([['Launched'], [day]], type);
  const zone = process.env.TZ;
  try {
    for (const each of ['Europe/Berlin', 'America/New_York']) {
      process.env.TZ = each;
      expect(await read(file)).toMatchObject([{ rows: [['2026-01-01']] }]);
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test.each(['xlsx', 'xls'] as const)('a time without a day in a workbook (%s) is only a time', async (type) => {
  const halfHour = { t: 'n', v: 1 / 48, z: 'h:mm' };
  expect(await read(workbook([['Cooking time'], [halfHour]], type))).toMatchObject([{ rows: [['00:30:00']] }]);
});

test('a number that is no date does not make a workbook unreadable, although its format is that of dates', async () => {
  const barcode = { t: 'n', v: 4_006_381_333_931, z: 'm/d/yy' };
  expect(
    await read(
      workbook([
        ['SKU', 'EAN'],
        ['A-1', barcode],
      ]),
    ),
  ).toMatchObject([{ rows: [['A-1', '']] }]);
});

test.each(['sep=;\r\nSKU;Name\r\nA-1;Lamp, red', '\ufeffsep=^\nSKU^Name\nA-1^Lamp, red'])(
  'the line %j is no row of a table',
  async (text) => {
    expect(await read(csv(text))).toMatchObject([{ columns: ['SKU', 'Name'], rows: [['A-1', 'Lamp, red']] }]);
  },
);

test.each(['\r\n', '\n', '\r'])('lines that end unlike the header, which ends with %j, are rows of their own', async (end) => {
  const mixed = end === '\r' ? end : '\n';
  const file = csv(`SKU,Name${end}A-1,"Lamp${'\n'}red"${mixed}A-2,Mug${mixed}`);
  expect(await read(file)).toMatchObject([
    {
      rows: [
        ['A-1', 'Lamp\nred'],
        ['A-2', 'Mug'],
      ],
    },
  ]);
});

test('a long header does not hide how the lines end', async () => {
  // The detection reads 20,000 characters. These end within the end of the header.
  const name = 'N'.repeat(19_995);
  expect(await read(csv(`SKU,${name}\r\nA-1,Lamp\r\nA-2,Mug\r\n`))).toMatchObject([
    {
      rows: [
        ['A-1', 'Lamp'],
        ['A-2', 'Mug'],
      ],
    },
  ]);
});

const likeBinaryFiles = [
  ...['<SKU>,<Name>\nA-1,Lamp', 'PARENT SKU,SKU\nT,T-R', 'BM number,SKU\n1,T-R', 'FORMAT;SKU\nA4;T-R', 'SKU,free\nT-R,yes'],
  `GTIN,SKU\n${'4'.repeat(178)},G-1`,
].map((text) => [text.slice(0, 10), text] as const);
test.each(likeBinaryFiles)('a table is read that begins with %j, as binary files do', async (_, text) => {
  expect((await read(csv(text)))[0].rows).toHaveLength(1);
});

test('a CSV that the browser declares as a workbook is read', async () => {
  expect(await read({ ...csv('SKU;Name\nA-1;Lamp'), type: types.xls })).toMatchObject([{ rows: [['A-1', 'Lamp']] }]);
});

test('an image of each type is one page', async () => {
  for (const each of [png, jpeg, webp]) expect(await read(each)).toEqual([{ kind: 'image' }]);
});

test('an animated PNG is one page', async () => {
  const still = Buffer.from(png.content);
  // Length, type, one frame, no limit of repetitions, and a checksum.
  const control = Buffer.from('\0\0\0\u0008acTL\0\0\0\u0001\0\0\0\0\0\0\0\0', 'latin1');
  const content = Buffer.concat([still.subarray(0, 33), control, still.subarray(33)]);
  expect(await read({ ...png, content })).toEqual([{ kind: 'image' }]);
});

test('a PDF with other bytes in front of its header is read', async () => {
  const { content, ...file } = pdf(['Steel lamp']);
  expect(await read({ ...file, content: Buffer.concat([Buffer.from('\r\n\r\n'), Buffer.from(content)]) })).toMatchObject([
    { text: expect.stringContaining('Steel lamp') },
  ]);
});

test('a file that parses forever times out', async () => {
  await expect(read(nestedPdf(9, 'a'), { cpuMs: 1_000 })).rejects.toThrow('the file takes too long to read');
});

test('a file that exceeds the memory limit is rejected', async () => {
  await expect(read(inflatingPdf(300_000_000), { megabytes: 100 })).rejects.toThrow('the file takes too much memory to read');
});

test('parsing stops when the client disconnects', async () => {
  const sender = new AbortController();
  setTimeout(() => sender.abort(new Error('gone')), 500);
  await expect(read(nestedPdf(9, 'a'), {}, sender.signal)).rejects.toThrow('gone');
});

test('a workbook above the unpacked size limit is rejected before parsing', async () => {
  await expect(read({ ...workbook([]), content: zipBomb() })).rejects.toThrow('the workbook unpacks to more than 64 MB');
});

test('a PDF without text is reported as such', async () => {
  await expect(read(pdf([]))).rejects.toThrow('the PDF has no text; scanned pages cannot be read');
});

const lies: [string, Sent, string][] = [
  ['a PNG', png, types.jpeg],
  ['a JPEG', jpeg, types.webp],
  ['a WebP', webp, types.png],
  ['a PDF', pdf(['x']), types.png],
  ['a CSV', csv('SKU\nA-1'), types.jpeg],
  ['a workbook of one kind', workbook([['SKU']], 'xls'), types.xlsx],
  ['a workbook of the other', workbook([['SKU']], 'xlsx'), types.xls],
  ['a picture', png, types.csv],
  ['a PDF', pdf(['x']), types.csv],
  ['XML', csv('<?xml version="1.0"?><Workbook/>'), types.xls],
  ['HTML', csv('<html><table><tr><td>SKU</td></tr></table></html>'), types.xls],
  ['bytes of no kind', { name: 'x', type: '', content: Buffer.alloc(1_000) }, types.csv],
];
test.each(lies)('%s with a wrong type is rejected', async (_, file, type) => {
  await expect(read({ ...file, type })).rejects.toThrow('the content of the file does not match its type');
});

test('empty files, and files without content, are rejected', async () => {
  for (const type of Object.values(types))
    await expect(read({ name: 'x', type, content: '' })).rejects.toThrow('the file is empty');
  await expect(read(csv('\n\n'))).rejects.toThrow('the file has no readable content');
});

const long = Array.from({ length: 300 }, (_, at) => [`S-${at}`, `Thing ${at}`]);
test.each([workbook(long), workbook(long, 'xls'), pdf(['x'.repeat(2_000)])])('a truncated $name is rejected', async (file) => {
  await expect(read(cut(file, 0.3))).rejects.toThrow(
    /^the (workbook|PDF) cannot be read$|^the content of the file does not match its type$/,
  );
});

test('a cell of 2 MB among 2,000 rows is truncated, and every row is read', async () => {
  const rows = Array.from({ length: 2_000 }, (_, at) => `S-${at},${at === 7 ? 'x'.repeat(2 * 1024 * 1024) : 'y'}`);
  const cells: string[][] = (await read(csv(`SKU,Note\n${rows.join('\n')}`))).flatMap((page) => page.rows);
  expect(cells.map(([sku]) => sku)).toEqual(rows.map((row) => row.split(',')[0]));
  expect(cells[7]![1]).toBe('x'.repeat(32_767));
});

test('empty cells behind a table are no columns', async () => {
  const behind = ','.repeat(600);
  const file = csv(`SKU,Name,Note${behind}\nA-1,Lamp,${behind}\nA-2,,,\nA-3,Mug,,Loose${behind}`);
  expect(await read(file)).toMatchObject([
    {
      columns: ['SKU', 'Name', 'Note'],
      rows: [
        ['A-1', 'Lamp', ''],
        ['A-2', '', ''],
        ['A-3', 'Mug', '', 'Loose'],
      ],
    },
  ]);
});

test('long names of columns are truncated together, and a page has only those that its rows reach', async () => {
  const names = Array.from({ length: 240 }, () => 'h'.repeat(32_767));
  const pages = await read(csv([names.join(','), ...Array.from({ length: 60 }, () => 'a,b')].join('\n')));
  expect(pages.map(({ columns }) => columns)).toEqual([Array(2).fill('h'.repeat(50)), Array(2).fill('h'.repeat(50))]);
  const [page] = await read(csv(`${'n'.repeat(300)},Color\nA-1,${'x'.repeat(9)}`));
  expect(page.columns).toEqual(['n'.repeat(256), 'Color']);
});

test('a long row is truncated to the size of a page', async () => {
  const row = ['A-1', ...Array.from({ length: 99 }, () => 'x'.repeat(30_000))];
  const [page] = await read(csv(`${row.map((_, at) => `C${at}`).join(',')}\n${row.join(',')}`));
  expect(page.rows[0][0]).toBe('A-1');
  expect(page.rows[0].join('').length).toBeLessThanOrEqual(48_000);
});

test('a small file that unpacks to too much text is rejected', async () => {
  const cell = 'x'.repeat(30_000);
  const rows = Array.from({ length: 400 }, (_, at) => [`S-${at}`, cell]);
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['SKU', 'Note'], ...rows]), 'Products');
  const content = write(book, { type: 'buffer', bookType: 'xlsx', compression: true });
  await expect(read({ ...workbook([]), content })).rejects.toThrow(/^the file has more than \d+ MB of text$/);
});
