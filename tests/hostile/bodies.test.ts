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

test.each(bodies)('%s is rejected as a body', async (_, body) => {
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
])('the content type %j is rejected', async (type) => {
  expectRefusal(
    await attacker.rest(
      '/products/create',
      type === '' ? new Blob([product]) : product,
      type === '' ? { 'content-type': ' ' } : { 'content-type': type },
    ),
  );
});

test.each([
  ['gzip', gzipSync(product)],
  ['gzip', product],
  ['unknown', product],
  ['identity, gzip', product],
])('a body with the content encoding %j is rejected', async (encoding, body) => {
  const answer = await attacker.rest('/products/create', body, { 'content-encoding': encoding });
  expectRefusal(answer);
  expect(answer.text).toContain('the body must not have a content encoding');
});

test('a form with a content encoding is rejected', async () => {
  const body = new FormData();
  body.append('files', new Blob(['SKU\nA']), 'a.csv');
  const { slug, key } = attacker.organization;
  const response = await fetch(`${process.env.TEST_URL}/api/${slug}/enrichment-files/upload`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-encoding': 'br' },
    body,
  });
  expect(response.status).toBe(400);
});

test('the content encoding identity is accepted', async () => {
  expect(await attacker.rest('/products/get', '{}', { 'content-encoding': 'identity' })).toMatchObject({ status: 200 });
});

test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'application/problem+json'])(
  '%s is read as JSON',
  async (type) => {
    expect(await attacker.rest('/products/get', '{}', { 'content-type': type })).toMatchObject({ status: 200 });
  },
);
