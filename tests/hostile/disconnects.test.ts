import { connect } from 'node:net';
import { openAttacker } from './attacker.ts';

let attacker: Awaited<ReturnType<typeof openAttacker>>;
beforeAll(async () => {
  attacker = await openAttacker();
});

/** Send the text and disconnect immediately. */
function leave(text: string): Promise<void> {
  const { hostname, port } = new URL(process.env.TEST_URL!);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.resetAndDestroy()));
    socket.on('error', () => {}).once('close', () => resolve());
  });
}

const head = (path: string, length: number) =>
  [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    `x-api-key: ${attacker.organization.key}`,
    'content-type: application/json',
    `content-length: ${length}`,
    '',
    '',
  ].join('\r\n');

test('clients that disconnect during a body leave no data', async () => {
  const path = `/api/${attacker.organization.slug}/products/create`;
  await Promise.all(Array.from({ length: 50 }, (_, n) => leave(`${head(path, 5_000)}{"sku": "L${n}", "name": "`)));
  expect(await attacker.stored()).toBe(0);
  expect(await attacker.rest('/products/get', '{}')).toMatchObject({ status: 200 });
});

test('clients that disconnect before the response create all of their products or none', async () => {
  const body = (n: number) =>
    JSON.stringify({ products: Array.from({ length: 400 }, (_, at) => ({ sku: `G${n}-${at}`, name: 'n' })) });
  const path = `/api/${attacker.organization.slug}/products/bulk-create`;
  await Promise.all(Array.from({ length: 8 }, (_, n) => leave(head(path, Buffer.byteLength(body(n))) + body(n))));
  // Earlier requests have finished once later equal requests have responses.
  for (let n = 100; n < 104; n++) expect(await attacker.rest('/products/bulk-create', body(n))).toMatchObject({ status: 200 });
  expect((await attacker.stored()) % 400).toBe(0);
});

test.each([
  ['no HTTP', 'hello\r\n\r\n'],
  ['half a head', 'POST /api/x HTTP/1.1\r\nhost: x\r\n'],
  ['two lengths', 'POST /api/x/products/get HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'],
  ['a broken chunk', 'POST /api/x/products/get HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}'],
  ['a NUL in the path', 'GET /api/\0 HTTP/1.1\r\nhost: x\r\n\r\n'],
])('%s on the wire does not affect other clients', async (_, text) => {
  await leave(text);
  expect(await attacker.rest('/products/get', '{}')).toMatchObject({ status: 200 });
});
