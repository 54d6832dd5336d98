import { connect } from 'node:net';
import { deflateRawSync } from 'node:zlib';
import { anId, type Catalog, invalid, openCatalog, refused } from '../catalog/catalog.ts';
import { createAttribute, ended, startJob } from '../catalog/enrichment.ts';
import { database } from '../support/seed.ts';
import { csv, pdf, png, sendForm, types, upload, workbook } from './files.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openCatalog();
});

const kept = async (): Promise<number> => {
  const count = 'select count(*)::int as count from catalog.files where organization_id = $1';
  return (await database().query(count, [catalog.organization.id])).rows[0].count;
};

/** What a form leads to when nothing of it may be kept. */
async function keepsNothing(sending: () => Promise<unknown>, answer: unknown): Promise<void> {
  const before = await kept();
  expect(await sending()).toEqual(answer);
  expect(await kept()).toBe(before);
}

const list = csv('SKU,Colour\nA-1,red\nA-2,blue\n');

test('files of every kind are taken, each with an id', async () => {
  const rows = [
    ['SKU', 'Colour'],
    ['A-1', 'red'],
  ];
  const answer = await upload(catalog, list, workbook(rows), workbook(rows, 'xls'), pdf(['Colour: red']), png);
  expect(answer).toEqual({ status: 200, body: { success: true, uploadedFileIds: [anId, anId, anId, anId, anId] } });
});

test('a file that lies about its type fails by itself', async () => {
  const answer = await upload(catalog, list, { ...png, name: 'lie.pdf', type: types.pdf });
  const errors = [{ fileName: 'lie.pdf', error: 'the file is not what its type says' }];
  expect(answer).toEqual({ status: 200, body: { success: false, uploadedFileIds: [anId], errors } });
});

test('a PDF without text says so', async () => {
  const { body } = await upload(catalog, pdf([]));
  expect(body.errors[0].error).toMatch(/^the PDF holds no text/);
});

test('one file of another type refuses the whole form', () =>
  keepsNothing(
    () => upload(catalog, list, { name: 'note.txt', type: 'text/plain', content: 'x' }),
    invalid(
      `the type of note.txt must be one of ${Object.values(types).slice(1, 2).concat(types.csv, types.xlsx, types.xls, types.png).join(', ')}, image/jpeg, image/webp`,
    ),
  ));

test('a file beyond 20 MB refuses the whole form', () =>
  keepsNothing(
    () => upload(catalog, list, csv('a'.repeat(20 * 1024 * 1024 + 1), 'big.csv')),
    invalid('the file big.csv must be at most 20 MB'),
  ));

test('a form without files is refused', () => keepsNothing(() => upload(catalog), invalid('files must have at least 1 entry')));

test('a body that is no form is refused', async () => {
  expect(await catalog.post('/enrichment-files/upload', {})).toEqual(invalid('the content type must be multipart/form-data'));
});

test('a workbook that unpacks to more than it may fails by itself', async () => {
  const { body } = await upload(catalog, { ...workbook([['SKU']]), content: bomb() });
  expect(body).toMatchObject({
    success: false,
    uploadedFileIds: [],
    errors: [{ error: 'the workbook unpacks to more than 64 MB' }],
  });
});

/** An archive whose second entry says it is small. */
function bomb(): Buffer {
  const parts = [
    {
      name: '[Content_Types].xml',
      data: Buffer.from(
        '<Types><Override ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
      ),
    },
    { name: 'xl/workbook.xml', data: Buffer.alloc(80 * 1024 * 1024, ' ') },
  ];
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name, data } of parts) {
    const packed = deflateRawSync(data);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(Math.min(data.length, 1_000), 18);
    head.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), head, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), head, place, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(entries).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...entries, end]);
}

/** The answer to bytes on a socket that is then half closed. */
function raw(contentType: string, body: string, length = Buffer.byteLength(body)): Promise<string> {
  const { hostname, port } = new URL(process.env.TEST_URL!);
  const { id, key } = catalog.organization;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    socket
      .setEncoding('utf8')
      .on('data', (part: string) => (text += part))
      .on('error', reject);
    socket.on('end', () => resolve(text)).on('close', () => resolve(text));
    socket.write(
      `POST /api/${id}/enrichment-files/upload HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${key}\r\nconnection: close\r\n` +
        `content-type: ${contentType}\r\ncontent-length: ${length}\r\n\r\n${body}`,
    );
    if (length !== Buffer.byteLength(body)) setTimeout(() => socket.destroy(), 200);
  });
}

const part =
  '--b\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\nSKU\r\nA-1\r\n';

test('a form that ends before its last boundary is refused', () =>
  keepsNothing(async () => (await raw('multipart/form-data; boundary=b', part)).slice(9, 12), '400'));

test('a form without a boundary is refused', () =>
  keepsNothing(async () => (await raw('multipart/form-data', part)).slice(9, 12), '400'));

test('a sender that goes away leaves nothing behind', () =>
  keepsNothing(() => raw('multipart/form-data; boundary=b', part, 10_000), ''));

test('too many fields are refused', () => {
  const fields = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}`, 'x']));
  return keepsNothing(() => sendForm(catalog, '/enrichment-files/upload', [list], fields), invalid('there are too many fields'));
});

test('a cell of 2 MB among 2,000 rows is read', async () => {
  const rows = Array.from({ length: 2_000 }, (_, at) => `S-${at},${at === 7 ? 'x'.repeat(2 * 1024 * 1024) : 'y'}`);
  expect((await upload(catalog, csv(`SKU,Note\n${rows.join('\n')}`))).body.success).toBe(true);
});

test('an enrichment reads the rows of a file that are about the product', async () => {
  await createAttribute(catalog, 'colour');
  const { body } = await upload(catalog, list);
  const id = await catalog.create({ sku: 'A-2' });
  const job = await startJob(catalog, [id], { uploadedFileIds: body.uploadedFileIds });
  expect(await ended(catalog, job)).toBe('completed');
  const { product } = await catalog.graphql('query ($id: ID!) { product(id: $id) { attributes provenance } }', { id });
  expect(product.attributes.colour.value).toBe('blue');
  expect(product.provenance.colour.sourceKind).toBe('file');
});

test('files of another organization cannot be used', async () => {
  const other = await openCatalog();
  const { uploadedFileIds } = (await upload(catalog, list)).body;
  await createAttribute(other, 'colour');
  const productIds = [await other.create({ sku: 'A-1' })];
  const answer = await other.post('/product-enrichment-jobs/create', { productIds, modelType: 'budget-v1', uploadedFileIds });
  expect(answer).toEqual(refused(404, 'File not found', { missingIds: uploadedFileIds }));
});
