import { gzipSync } from 'node:zlib';
import { defaultBodyLimit } from '../../schema/limits.ts';
import { type Gateway, openGateway } from '../support/gateway.ts';
import { connect, message, seedTools, send } from './mcp.ts';

const { key } = await seedTools();
const { call, client } = await connect(key);
const post = (body: unknown, headers: Record<string, string> = {}) => send(body, { 'x-api-key': key, ...headers });

const LIMIT = 8;
const PAGE = 'https://assistant.example.com';
let second: Gateway;
beforeAll(async () => {
  second = await openGateway({ RATE_LIMIT_PER_MINUTE: String(LIMIT), CORS_ORIGINS: PAGE });
});
afterAll(() => second.stop());

test.each<[string, unknown, number]>([
  ['no JSON', '{', -32_700],
  ['nothing', '', -32_600],
  ['a text', '"initialize"', -32_600],
  ['null', 'null', -32_600],
  ['a number', '5', -32_600],
  ['a batch, which would count once', [message('ping'), message('ping', {}, 2)], -32_600],
  ['no message', {}, -32_600],
  ['another version', { ...message('ping'), jsonrpc: '1.0' }, -32_600],
  ['an id that is an object', message('ping', {}, {}), -32_600],
  ['a duplicate key', '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}', -32_600],
  ['deep nesting', `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`, -32_600],
  ['text that is no JSON', Buffer.from([0xff, 0xfe]).toString('latin1'), -32_700],
])('%s is refused with an error of JSON-RPC', async (_, body, code) => {
  const answer = await post(body);
  expect([answer.status, answer.body]).toEqual([400, { jsonrpc: '2.0', error: { code, message: expect.any(String) }, id: null }]);
  expect(answer.text).not.toMatch(/node_modules|\.ts|\.js|at /);
});

test.each<[string, object, number]>([
  ['an unknown method', message('completion/complete'), -32_601],
  ['a method called __proto__', message('__proto__'), -32_601],
  ['a resource', message('resources/read', { uri: 'file:///etc/passwd' }), -32_601],
  ['a prompt', message('prompts/get', { name: 'x' }), -32_601],
  ['an unknown tool', message('tools/call', { name: 'drop_table' }), -32_602],
  ['a tool called __proto__', message('tools/call', { name: '__proto__', arguments: {} }), -32_602],
  ['a tool whose name is an object', message('tools/call', { name: { toString: 1 } }), -32_602],
  ['a tool without a name', message('tools/call', {}), -32_602],
  ['arguments that are a list', message('tools/call', { name: 'list_products', arguments: [] }), -32_602],
  ['a progress token that is an object', message('ping', { _meta: { progressToken: {} } }), -32_602],
  ['a cursor that is a number', message('tools/list', { cursor: 5 }), -32_602],
  ['an initialization without a version', message('initialize'), -32_602],
  ['an unknown cursor', message('tools/list', { cursor: 'nowhere' }), -32_602],
])('%s is answered with an error', async (_, body, code) => {
  const answer = await post(body);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ jsonrpc: '2.0', id: 1, error: { code, message: expect.any(String) } });
  expect(answer.text).not.toMatch(/node_modules|\.ts:|\.js:|invalid_type/);
});

test('clients that do not look at the capabilities get empty lists of resources and prompts', async () => {
  const result = async (method: string, params = {}) => (await post(message(method, params))).body.result;
  expect(await result('resources/list')).toEqual({ resources: [] });
  expect(await result('resources/templates/list')).toEqual({ resourceTemplates: [] });
  expect(await result('prompts/list')).toEqual({ prompts: [] });
  expect(await result('logging/setLevel', { level: 'debug' })).toEqual({});
  expect(client.getServerCapabilities()).toEqual({ tools: {} });
});

test('the transport is exact about methods, media types, versions and encodings', async () => {
  const method = async (name: string) => {
    const response = await fetch(`${process.env.TEST_URL}/mcp`, {
      method: name,
      headers: { accept: 'text/event-stream', 'x-api-key': key },
    });
    return [response.status, response.headers.get('allow')];
  };
  for (const name of ['GET', 'DELETE', 'PUT', 'PATCH']) expect(await method(name)).toEqual([405, 'POST']);
  expect((await post(message('ping'), { accept: 'application/json' })).status).toBe(406);
  expect((await post(message('ping'), { 'content-type': 'text/plain' })).status).toBe(400);
  expect((await post(message('ping'), { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  const compressed = await fetch(`${process.env.TEST_URL}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      accept: 'application/json, text/event-stream',
      'x-api-key': key,
    },
    body: new Uint8Array(gzipSync(JSON.stringify(message('ping')))),
  });
  expect(compressed.status).toBe(400);
  const large = await send(
    message('ping', { a: 'x'.repeat(defaultBodyLimit) }),
    { 'x-api-key': (await seedTools()).key },
    second.url,
  );
  expect([large.status, large.body.error.code]).toEqual([413, -32_000]);
});

test('hostile arguments are refused, or have no effect', async () => {
  const text = async (name: string, given: object) => (await call(name, given as Record<string, unknown>)).text;
  expect(await text('create_product', { sku: 'a\0b', name: 'x' })).toMatch(/^400 INVALID_INPUT: Invalid request body: /);
  expect(await text('get_product', { product_id: { $ne: 1 } })).toBe(
    '400 INVALID_INPUT: Invalid request body: product_id must be a string',
  );
  expect(await text('get_product', { product_id: 'a\0' })).toMatch(/^400 INVALID_INPUT/);
  expect(await text('get_product', { product_id: '../../organizations' })).toBe('404 NOT_FOUND: Product not found');
  expect(await text('get_product', {})).toMatch(/^400 INVALID_INPUT: Invalid request body: .*product_id/);
  expect(await text('wait_for_job', { job_id: 'x', wait_seconds: 1e9 })).toMatch(
    /wait_seconds must be a whole number from 1 to 600/,
  );
  expect(await text('wait_for_job', { job_id: 'x' })).toBe('404 NOT_FOUND: Job not found');
  expect(await text('create_brand', { name: 'x', idempotency_key: 'ä' })).toMatch(/^400 INVALID_INPUT/);
  const { body } = await call('list_products', JSON.parse('{"__proto__":{"search":"x"},"unknown":1,"search":"%\'; drop table"}'));
  expect(body.data.products).toEqual([]);
});

test('a session is only a name, so any process answers and a flood leaves nothing behind', async () => {
  const initialize = message('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  });
  const opened = await Promise.all(Array.from({ length: 100 }, () => post(initialize)));
  const sessions = opened.map(({ headers }) => headers.get('mcp-session-id')!);
  expect(new Set(sessions).size).toBe(100);
  const list = message('tools/call', { name: 'list_products', arguments: {} });
  // The second process has a low limit, and the processes count together.
  const { key: unused } = await seedTools();
  const elsewhere = await send(list, { 'x-api-key': unused, 'mcp-session-id': sessions[0]! }, second.url);
  expect(elsewhere.body.result.structuredContent.success).toBe(true);
  expect((await post(list, { 'mcp-session-id': 'of nobody' })).status).toBe(200);
  expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  expect((await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })).status).toBe(202);
  expect(client.getServerVersion()).toMatchObject({ name: 'catalog-graph' });
});

test('calls of one client do not mix up', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, (_, n) => call('create_brand', { name: `Brand ${n}` })));
  expect(made.map(({ body }) => body.data.brand.name)).toEqual(Array.from({ length: 20 }, (_, n) => `Brand ${n}`));
});

test('messages count against the limit of the key', async () => {
  const { key } = await seedTools();
  const ping = () => send(message('ping'), { 'x-api-key': key }, second.url);
  const first = await ping();
  expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([200, String(LIMIT - 1)]);
  const answers = await Promise.all(Array.from({ length: LIMIT }, ping));
  const refused = answers.find(({ status }) => status === 429)!;
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  expect(refused.body).toEqual({ jsonrpc: '2.0', error: { code: -32_000, message: 'Rate limit exceeded' }, id: null });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('only pages of allowed origins and of this machine reach the tools', async () => {
  const { key } = await seedTools();
  const from = async (origin: string, url?: string) => {
    const { status, headers } = await send(message('ping'), { 'x-api-key': key, origin }, url);
    return [status, headers.get('access-control-allow-origin')];
  };
  expect(await from('https://evil.example.com')).toEqual([403, null]);
  expect(await from('null')).toEqual([403, null]);
  expect(await from('http://localhost:6274')).toEqual([200, null]);
  expect(await from(PAGE)).toEqual([403, null]);
  expect(await from(PAGE, second.url)).toEqual([200, PAGE]);
  const preflight = await fetch(`${second.url}/mcp`, {
    method: 'OPTIONS',
    headers: { origin: PAGE, 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-headers')).toMatch(/x-api-key.*mcp-session-id, mcp-protocol-version/);
  expect(preflight.headers.get('access-control-expose-headers')).toMatch(/mcp-session-id/);
});
