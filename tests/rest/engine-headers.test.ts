import { admitted, face } from './engine-face.ts';
import { ask, get, main, post, site } from './engine-requests.ts';

const codeOf = ({ status, headers }: Awaited<ReturnType<typeof ask>>) => [status, headers['x-error-code']];
const unknownIn = ({ headers }: Awaited<ReturnType<typeof ask>>) => headers['x-unknown-parameters'];
const refuse = (code: string) => post('/api/acme/refuse', { code, message: 'why' });

test.each([
  ['INVALID_INPUT', 400],
  ['UNKNOWN_KEY', 403],
  ['NO_ACCESS', 403],
  ['NOT_FOUND', 404],
  ['RATE_LIMITED', 429],
  ['UNAVAILABLE', 503],
])('an error %s has its code in a header', async (code, status) => {
  expect(codeOf(await refuse(code))).toEqual([status, code]);
});

test('a masked error, an unknown path, another method and an unreadable request have a code', async () => {
  expect(codeOf(await refuse('BOOM'))).toEqual([500, 'INTERNAL_SERVER_ERROR']);
  expect(codeOf(await get('/api/acme/nothing'))).toEqual([404, 'NOT_FOUND']);
  expect(codeOf(await get('/api/acme/products/get'))).toEqual([405, 'METHOD_NOT_ALLOWED']);
  expect(codeOf(await post('/api/acme/products/get', '{'))).toEqual([400, 'INVALID_INPUT']);
  expect(codeOf(await post('/api/acme/products/get', JSON.stringify({ search: 'x'.repeat(400_000) })))).toEqual([
    400,
    'INVALID_INPUT',
  ]);
  expect(codeOf(await get('/api/%zz/products'))).toEqual([400, 'INVALID_INPUT']);
  expect(codeOf(await get('/none/%zz'))).toEqual([404, 'NOT_FOUND']);
  expect(codeOf(await ask(site, { url: '/api/v1/refuse?code=CONFLICT&message=taken' }))).toEqual([409, 'CONFLICT']);
});

test('a refused caller gets the code of the refusal, and a success has none', async () => {
  const refusal = { code: 'NO_ACCESS', message: 'Invalid API Key' };
  await using closed = {
    server: await face({ admit: async () => ({ ...admitted, refusal }) }),
    [Symbol.asyncDispose]: () => closed.server.close(),
  };
  const answer = await ask(closed.server, { method: 'POST', url: '/api/acme/products/get' });
  expect(answer).toMatchObject({ status: 403, body: { success: false, message: 'Invalid API Key' } });
  expect(codeOf(answer)).toEqual([403, 'NO_ACCESS']);
  expect(codeOf(await post('/api/acme/products/get', {}))).toEqual([200, undefined]);
});

test('pages of other origins may read the headers of the widget', async () => {
  const { headers } = await ask(main, { url: '/api/agents/helper/config', headers: { origin: 'https://shop.example' } });
  expect(headers['access-control-expose-headers']).toMatch(/X-Error-Code, X-Unknown-Parameters/);
});

test('unknown names of the query and the body are in a header, of successes and errors', async () => {
  expect(unknownIn(await get('/api/v1/leads?updatedSince=2026-01-01&limit=1&organization=acme'))).toBe('updatedSince');
  expect(unknownIn(await post('/api/acme/products/get?pageSize=3', { page: 1, filter: 'secret' }))).toBe('pageSize,filter');
  const failed = await post('/api/acme/products/create', { names: 'a' });
  expect([failed.status, unknownIn(failed)]).toEqual([400, 'names']);
  expect(unknownIn(await post('/api/acme/products/get', { page: 1, search: 'x' }))).toBeUndefined();
});

test('names in objects and lists have the path of their fields, once, and content of callers is not searched', async () => {
  const item = {
    name: 'a',
    nam: 1,
    data: { any: 1 },
    children: [
      { name: 'b', colour: 'red' },
      { name: 'c', colour: 'red' },
    ],
  };
  expect(unknownIn(await post('/api/acme/products/get', { item }))).toBe('item.nam,item.children.colour');
  expect(unknownIn(await post('/api/acme/products/create', { name: 'a', children: [{ nam: 'b' }] }))).toBe('children.nam');
});

test('the header holds at most ten names, without values and with the characters of a header only', async () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`field${at}`, 'secret']));
  const { headers } = await post('/api/acme/products/get', many);
  expect(String(headers['x-unknown-parameters']).split(',')).toHaveLength(10);
  const hostile = { 'a,b': 1, 'é\r\nset-cookie: x': 1, '\ud800': 1, __proto__: 1, ['x'.repeat(70_000)]: 1 };
  const header = String(unknownIn(await post('/api/acme/products/get', JSON.stringify(hostile))));
  expect(header).toMatch(/^[!-~]+$/);
  expect(header.split(',').slice(0, 3)).toEqual(['a%2Cb', '%C3%A9%0D%0Aset-cookie%3A%20x', '%EF%BF%BD']);
  expect(header.length).toBeLessThan(400);
  expect(header).not.toContain('secret');
});
