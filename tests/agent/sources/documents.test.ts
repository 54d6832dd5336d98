import { documentFault, documentKind, readDocument } from '../../../platform/reading/index.ts';
import { archiveOf, inflatingPdf } from '../../uploads/hostile.ts';
import { docx, paragraph, pdf } from './documents.ts';

const read = async (name: string, bytes: Buffer | string) => {
  const copy = new Uint8Array(Buffer.from(bytes));
  return readDocument(
    'acme',
    'readText',
    { kind: documentKind(name)!, bytes: copy.buffer },
    { megabytes: 512, transfer: [copy.buffer] },
  );
};
const linesOf = async (name: string, bytes: Buffer | string) => {
  const { content } = await read(name, bytes);
  if (typeof content === 'string') throw new Error('the content is text');
  return content;
};

const WRAPPED = 'This lamp has a long description that reaches the right margin of the page, so that its sen-';

test('a PDF has the pages of its paragraphs, and larger lines are headings', async () => {
  const footer = (page: number) => ['', `Lamp shop | ${page}`];
  const bytes = pdf([
    [['Manual', 24], '', ['Care', 16], 'Wipe the lamp with a dry cloth.', '', 'Size: 20 cm', 'Weight: 1 kg', ...footer(1)],
    [['Safety', 16], WRAPPED, 'tence continues. The cable must not', ...footer(2)],
    ['be bent.', '', ['Returns', 16], 'Within 30 days.', ...footer(3)],
  ]);
  const { content, pages } = await read('manual.pdf', bytes);
  expect(pages).toBe(3);
  expect(content).toEqual([
    { level: 1, text: 'Manual', page: 1 },
    { level: 2, text: 'Care', page: 1 },
    { text: 'Wipe the lamp with a dry cloth.', page: 1 },
    { text: 'Size: 20 cm\nWeight: 1 kg', page: 1 },
    { text: 'Lamp shop | 1', page: 1 },
    { level: 2, text: 'Safety', page: 2 },
    { text: `${WRAPPED.slice(0, -1)}tence continues. The cable must not be bent.`, page: 2 },
    { level: 2, text: 'Returns', page: 3 },
    { text: 'Within 30 days.', page: 3 },
  ]);
});

test('lines of a PDF that differ in their numbers are content, unless the number is that of the page', async () => {
  const pages = Array.from({ length: 6 }, (_, n) => [
    [`Exercise ${n + 1}`, 16] as const,
    `Row ${n} costs ${n * n + 3} euros.`,
    'Turn the lamp on.',
    `Sum ${n * 7}`,
    `Page ${n + 3} of 8`,
  ]);
  const texts = (await linesOf('a.pdf', pdf(pages as never))).map(({ text }) => text.replaceAll('\n', ' ')).join(' ');
  for (let n = 0; n < 6; n += 1) {
    expect(texts).toContain(`Exercise ${n + 1} Row ${n} costs ${n * n + 3} euros.`);
    expect(texts).toContain(`Sum ${n * 7}`);
  }
  expect(texts.match(/Page \d of 8/g)).toEqual(['Page 3 of 8']);
  const short = Array.from({ length: 20 }, (_, n) => [`Lamp ${n} has a warranty of ${n} years.`]);
  expect((await linesOf('a.pdf', pdf(short))).map(({ text }) => text)).toEqual(short.flat());
});

test('a Word document has its headings in any language, its tables and its notes', async () => {
  const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
  const row = (...texts: string[]) => `<w:tr>${texts.map(cell).join('')}</w:tr>`;
  const table = `<w:tbl><w:tblPr><w:tblLook w:val="04A0" w:firstRow="1"/></w:tblPr>${row('Lampe', 'Preis', 'Farbe')}${row('Luna', '20 €', 'rot')}</w:tbl>`;
  const bytes = docx(
    [
      paragraph('Seite 3', 'Verzeichnis1'),
      paragraph('Pflege', 'berschrift1'),
      '<w:p><w:r><w:t>Mit einem Tuch</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t xml:space="preserve"> abwischen &amp; fertig.</w:t></w:r></w:p>',
      paragraph('Reinigung', 'berschrift2'),
      table,
      paragraph('Rückgabe', 'Kapitel'),
      '<w:p><w:r><w:t>In </w:t></w:r><w:del><w:r><w:delText>14</w:delText></w:r></w:del><w:ins><w:r><w:t>30</w:t></w:r></w:ins><w:r><w:t> Tagen.</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t> geheim</w:t></w:r></w:p>',
    ].join(''),
    '<w:footnote w:id="2"><w:p><w:r><w:t>Mikrofaser</w:t></w:r></w:p></w:footnote>',
  );
  expect(await linesOf('pflege.docx', bytes)).toEqual([
    { level: 1, text: 'Pflege' },
    { text: 'Mit einem Tuch (Mikrofaser) abwischen & fertig.' },
    { level: 2, text: 'Reinigung' },
    { text: 'Lampe: Luna; Preis: 20 €; Farbe: rot' },
    { level: 1, text: 'Rückgabe' },
    { text: 'In 30 Tagen.' },
  ]);
});

test('a note to which a document refers many times is read once', async () => {
  const reference = '<w:r><w:footnoteReference w:id="2"/></w:r>';
  const note = `<w:footnote w:id="2"><w:p><w:r><w:t>${'x'.repeat(100_000)}</w:t></w:r></w:p></w:footnote>`;
  const [line, ...more] = await linesOf('a.docx', docx(`<w:p>${reference.repeat(100_000)}</w:p>`, note));
  expect([line!.text.length, more]).toEqual([100_002, []]);
});

test('Markdown and plain text keep their text in any encoding, and a page of HTML its headings', async () => {
  expect(await read('a.md', '# Care\n\nWipe.')).toEqual({ title: '', content: '# Care\n\nWipe.', pages: 0 });
  expect((await read('a.txt', Buffer.from('Größe', 'latin1'))).content).toBe('Größe');
  expect((await read('a.txt', Buffer.from('\ufeffGröße', 'utf16le'))).content).toBe('Größe');
  const html = '<head><title>Help</title></head><main><h2>Care</h2><p>Wipe.</p><script>no()</script></main>';
  expect(await read('a.HTM', html)).toEqual({ title: 'Help', content: [{ level: 2, text: 'Care' }, { text: 'Wipe.' }], pages: 0 });
});

const LOCKED = Buffer.from(
  pdf([['Secret']])
    .toString('latin1')
    .replace(
      '/Root 1 0 R',
      `/Root 1 0 R /ID [(0123456789abcdef) (0123456789abcdef)] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (${'o'.repeat(32)}) /U (${'u'.repeat(32)}) >>`,
    ),
  'latin1',
);
const deep = `${'<w:sdt>'.repeat(300)}${paragraph('deep')}${'</w:sdt>'.repeat(300)}`;

test.each<[string, string, Buffer | string, string]>([
  ['a PDF without text', 'scan.pdf', pdf([[], []]), 'the file has no text; scanned pages must go through text recognition first'],
  ['a PDF with a password', 'locked.pdf', LOCKED, 'the PDF is protected by a password'],
  ['a broken PDF', 'broken.pdf', '%PDF-1.4 nothing', 'the PDF cannot be read'],
  ['a PDF with many pages', 'book.pdf', pdf(Array.from({ length: 2_001 }, () => ['a'])), 'the PDF has more than 2000 pages'],
  [
    'a long PDF',
    'book.pdf',
    pdf(Array.from({ length: 600 }, () => Array.from({ length: 40 }, () => 'lamp '.repeat(10)))),
    'more than 1,000,000 characters',
  ],
  [
    'a PDF that unpacks to many bytes',
    'bomb.pdf',
    Buffer.from(inflatingPdf(2_000_000_000).content),
    'too much memory|too long|cannot be read',
  ],
  ['an archive that is no document', 'a.docx', archiveOf([{ name: 'a.txt', data: 'a' }]), 'the file is no Word document'],
  ['a document that unpacks to much', 'a.docx', docx('<w:p/>'.repeat(12_000_000)), 'the document unpacks to more than 64 MB'],
  [
    'a document of many cells',
    'a.docx',
    docx(`<w:tbl>${'<w:tr><w:tc/></w:tr>'.repeat(100_000)}</w:tbl>`),
    'the document has too many paragraphs and cells',
  ],
  ['a deep document', 'a.docx', docx(deep), 'the document is nested too deeply'],
  ['a long text', 'a.txt', 'a'.repeat(1_000_001), 'the file has more than 1,000,000 characters of text; split it'],
  [
    'a long document',
    'a.docx',
    docx(paragraph('lamp '.repeat(250_000))),
    'the file has more than 1,000,000 characters of text; split it',
  ],
  [
    'HTML with deeply nested elements',
    'deep.html',
    `${'<div>'.repeat(40_000)}Lamps`,
    'the file has too many elements, or nests them too deeply',
  ],
  ['HTML with many elements', 'long.html', '<p>Lamp'.repeat(200_000), 'the file has too many elements'],
  ['blank text', 'a.md', ' \n\n ', 'the file has no text; scanned pages must go through text recognition first'],
  ['binary data', 'a.txt', `${'a'.repeat(100)}\0`, 'the file is no text'],
])('%s is refused with the reason', async (_, name, bytes, reason) => {
  await expect(read(name, bytes)).rejects.toThrow(new RegExp(reason));
});

test('the start of a file decides whether it can be what its name says', () => {
  const mismatch = 'the content of the file does not match its name';
  const start = { pdf: '%PDF-1.7', zip: 'PK\x03\x04', text: 'Lamps' };
  const fault = (name: string, content: string) => documentFault(name, Buffer.from(content, 'latin1'));
  expect(['a.pdf', 'a.docx', 'a.md'].map((name, at) => fault(name, Object.values(start)[at]!))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  for (const [name, content] of [
    ['a.pdf', start.zip],
    ['a.docx', start.pdf],
    ['a.docx', start.text],
    ['a.md', start.pdf],
    ['a.txt', start.zip],
    ['a.txt', 'a\0b'],
  ])
    expect(fault(name!, content!)).toBe(mismatch);
  expect(fault('a.docx', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')).toMatch(/password, or in the format of Word 97/);
  expect(fault('a.txt', '')).toBe('the file is empty');
  for (const name of ['a.exe', 'pdf', 'a.pdf.exe', 'a.constructor', ''])
    expect(fault(name, start.pdf)).toMatch(/^the name must end with one of \.pdf, \.docx/);
});
