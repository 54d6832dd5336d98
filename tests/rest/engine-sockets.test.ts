import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../support/until.ts';
import { admitted, face, seen } from './engine-face.ts';

const server = await face({
  admit: async ({ headers }) =>
    headers['x-api-key'] === 'bad' ? { ...admitted, refusal: { code: 'INVALID_KEY', message: 'Invalid API Key' } } : admitted,
});
await server.listen({ host: '127.0.0.1', port: 0 });
const { port } = server.server.address() as AddressInfo;
afterAll(() => server.close());

async function open(...lines: string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write([...lines, 'Host: localhost', '', ''].join('\r\n'));
  return socket;
}

async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
}

test('a rejected caller gets a response although the body never arrives', async () => {
  const socket = await open(
    'POST /api/acme/products/get HTTP/1.1',
    'x-api-key: bad',
    'content-type: application/json',
    'content-length: 90000',
  );
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(
    /^HTTP\/1.1 401 [\s\S]*X-RateLimit-Limit: 120[\s\S]*{"success":false,"message":"Invalid API Key"}$/i,
  );
  socket.destroy();
});

test('an unknown path gets a response although the body never arrives', async () => {
  const socket = await open('POST /api/acme/nothing HTTP/1.1', 'content-type: application/json', 'content-length: 90000');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 404 /);
  socket.destroy();
});

test('a truncated body runs no operation, and the server continues', async () => {
  seen.variables = undefined;
  const socket = await open('POST /api/acme/products/get HTTP/1.1', 'content-type: application/json', 'content-length: 100');
  socket.end('{"page":1}');
  expect(await untilClosed(socket)).not.toMatch(/ 500 /);
  expect(seen.variables).toBeUndefined();
  expect((await fetch(`http://127.0.0.1:${port}/api/v1/me`)).status).toBe(200);
});

test('a body above the limit is rejected by its Content-Length', async () => {
  const socket = await open('POST /api/acme/products/get HTTP/1.1', 'content-type: application/json', 'content-length: 900000000');
  expect(await untilClosed(socket)).toMatch(/^HTTP\/1.1 400 [\s\S]*"Invalid request body: the body is too large"}$/);
});

test('a chunked body is rejected at the limit', async () => {
  const socket = await open('POST /api/acme/products/get HTTP/1.1', 'content-type: application/json', 'transfer-encoding: chunked');
  const closed = untilClosed(socket);
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
  for (let sent = 0; sent < 8 && !socket.destroyed; sent++) socket.write(chunk);
  expect(await closed).toMatch(/^HTTP\/1.1 400 [\s\S]*the body is too large/);
});

test('a chunked body of no bytes is an empty object', async () => {
  const socket = await open('POST /api/acme/products/get HTTP/1.1', 'transfer-encoding: chunked', 'connection: close');
  socket.write('0\r\n\r\n');
  expect(await untilClosed(socket)).toMatch(/^HTTP\/1.1 200 [\s\S]*{"page":1,"limit":20}/);
});

test('the signal of the operation aborts when the client disconnects', async () => {
  seen.aborted = undefined;
  const socket = await open('POST /api/acme/slow HTTP/1.1', 'content-type: application/json', 'content-length: 2');
  socket.write('{}');
  await until(() => seen.aborted !== undefined);
  expect(seen.context?.signal?.aborted).toBe(false);
  socket.destroy();
  expect(await seen.aborted).toBe('aborted');
});

test('the signal does not abort after the response', async () => {
  await (await fetch(`http://127.0.0.1:${port}/api/acme/items`, { method: 'POST' })).text();
  const { context } = seen;
  await wait(50);
  expect(context?.signal?.aborted).toBe(false);
});
