import { once } from 'node:events';
import { connect } from 'node:net';
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

const flat = (message: string) => ({ success: false, message });
const graphql = (message: string) => ({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
const overflow = 'the headers are too large';
const malformed = 'the request is not well-formed HTTP';
const large = `x-large: ${'x'.repeat(20_000)}\r\n\r\n`;
/** Sends bytes, and returns all that comes until the server closes the connection. */
async function answerTo(text: string): Promise<string> {
  const { hostname, port } = new URL(process.env.TEST_URL!);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

test.each<[string, number, object]>([
  [`GET /api/acme/agents?page=1 HTTP/1.1\r\nhost: a\r\n${large}`, 431, flat(`Invalid request body: ${overflow}`)],
  [`GET /api/v1/leads HTTP/1.1\r\nhost: a\r\n${large}`, 431, { error: { message: overflow, status: 431 } }],
  [`POST /graphql HTTP/1.1\r\nhost: a\r\n${large}`, 431, graphql(overflow)],
  [`POST /mcp HTTP/1.1\r\nhost: a\r\n${large}`, 431, { jsonrpc: '2.0', error: { code: -32_000, message: overflow }, id: null }],
  [`GET / HTTP/1.1\r\nhost: a\r\n${large}`, 431, flat(overflow)],
  ['POST /api/v1/leads HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n', 400, { error: { message: malformed, status: 400 } }],
  ['POST /graphql HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nZ\r\n', 400, graphql(malformed)],
  [`POST /auth/link HTTP/1.1\r\nhost: a\r\n${large}`, 431, { error: overflow }],
  [
    'GET /api/v1/leads HTTP/1.1\r\nconnection: close\r\n\r\n',
    400,
    { error: { message: 'the request could not be read', status: 400 } },
  ],
  ['nothing of the kind\r\n\r\n', 400, flat(malformed)],
])('a request that the HTTP parser refuses gets the error format of its path: %j', async (text, status, body) => {
  const [head, sent] = (await answerTo(text)).split('\r\n\r\n');
  expect([Number(head!.split(' ')[1]), JSON.parse(sent!)]).toEqual([status, body]);
});

test.each(['nothing of the kind\r\n\r\n', `GET / HTTP/1.1\r\nhost: a\r\n${large}`])(
  'a request before one that the HTTP parser refuses gets its own response: %j',
  async (refused) => {
    const { slug, key } = attacker.organization;
    const head = `POST /api/${slug}/products/get HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 2`;
    const answer = await answerTo(`${head}\r\n\r\n{}${refused}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer.split('HTTP/1.1 ')).toHaveLength(2);
  },
);
