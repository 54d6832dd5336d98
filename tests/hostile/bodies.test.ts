import { gzipSync } from 'node:zlib';
import { expectRefusal, openAttacker } from './attacker.ts';

let attacker: Awaited<ReturnType<typeof openAttacker>>;
beforeAll(async () => {
  attacker = await openAttacker();
});
afterEach(async () => {
  expect(await attacker.stored()).toBe(0);
});

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
const product = '{"sku": "A", "name": "Anvil"}';
const bodies: [name: string, body: BodyInit][] = [
  ['a list', '[]'],
  ['a text', '"text"'],
  ['null', 'null'],
  ['a number', '5'],
  ['true', 'true'],
  ['half an object', '{"sku": "A", "name": "An'],
  ['an object and more', `${product} x`],
  ['two objects', product + product],
  ['a comment', `/* */ ${product}`],
  ['NaN', '{"sku": NaN, "name": "A"}'],
  ['a key twice', '{"sku": "A", "sku": "B", "name": "A"}'],
  ['a byte order mark', `\ufeff${product}`],
  ['spaces only', '   '],
  ['one NUL', '\0'],
  [
    'bytes that are no UTF-8',
    Buffer.concat([Buffer.from('{"sku": "'), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('", "name": "A"}')]),
  ],
  ['UTF-16', Buffer.from(product, 'utf16le')],
  ['lists 100,000 deep', `{"sku": "A", "name": "A", "attributes": ${nested(100_000, '[', ']')}}`],
  ['objects 5,000 deep', `{"a": ${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`],
  ['lists that never close', '['.repeat(500_000)],
  ['11 MB', JSON.stringify({ sku: 'A', name: 'x'.repeat(11 * 1024 * 1024) })],
];

test.each(bodies)('%s is refused as a body', async (_, body) => {
  expectRefusal(await attacker.rest('/products/create', body), [400, 413]);
  expectRefusal(await attacker.rest('/products/bulk-create', body), [400, 413]);
});

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/xml',
  'json',
  '',
])('the content type %j is refused', async (type) => {
  expectRefusal(
    await attacker.rest(
      '/products/create',
      type === '' ? new Blob([product]) : product,
      type === '' ? { 'content-type': ' ' } : { 'content-type': type },
    ),
  );
});

test('a body that is compressed is refused', async () => {
  expectRefusal(await attacker.rest('/products/create', gzipSync(product), { 'content-encoding': 'gzip' }));
});

test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'application/problem+json'])(
  '%s is read as JSON',
  async (type) => {
    expect(await attacker.rest('/products/get', '{}', { 'content-type': type })).toMatchObject({ status: 200 });
  },
);
