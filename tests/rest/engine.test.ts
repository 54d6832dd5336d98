import type { InjectOptions } from 'fastify';
import { restAdapter } from '../../rest-adapter/adapter.ts';
import { table } from '../../rest-adapter/route.ts';
import { catalog } from '../../rest-adapter/surfaces.ts';
import { fail } from '../../schema/errors.ts';
import type { RequestContext, Requirement } from '../../schema/request.ts';
import { admitted, face, prepare, schema, seen } from './engine-face.ts';

const main = await face();
const site = await face({ listener: 'site' });
afterAll(() => Promise.all([main.close(), site.close()]));

async function ask(server: typeof main, request: InjectOptions) {
  const { statusCode: status, body, headers } = await server.inject(request);
  return { status, headers, text: body, body: body && headers['content-type']?.includes('json') ? JSON.parse(body) : body };
}
const post = (url: string, body?: InjectOptions['payload'], headers = {}) =>
  ask(main, {
    method: 'POST',
    url,
    ...(body !== undefined && { payload: body }),
    headers: { 'content-type': 'application/json', ...headers },
  });
const get = (url: string, headers = {}) => ask(main, { method: 'GET', url, headers });

describe('envelopes', () => {
  test('catalog wraps the payload under data', async () => {
    const { status, text, headers } = await post('/api/acme/products/get', { page: 3 });
    expect([status, text]).toEqual([200, '{"success":true,"data":{"seen":{"page":3,"limit":20}}}']);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('a row has its own status and its own constants', async () => {
    expect(await post('/api/acme/products/create', { name: 'a' })).toMatchObject({ status: 201 });
    expect((await post('/api/acme/jobs/7/stop')).text).toBe(
      '{"success":true,"message":"Job stopped","data":{"jobId":"7","name":"stopped"}}',
    );
  });

  test('integration and widget answer the bare payload, with their headers', async () => {
    expect(await get('/api/v1/leads?limit=5')).toMatchObject({
      body: { leads: { limit: 5 } },
      headers: { 'cache-control': 'no-store' },
    });
    expect(await get('/api/agents/helper/config')).toMatchObject({
      body: { text: 'helper' },
      headers: { 'access-control-allow-origin': '*' },
    });
  });

  test('site content answers ok, and its lists stand beside it', async () => {
    expect((await ask(site, { url: '/api/v1/me' })).body).toEqual({ ok: true, data: { text: 'site' } });
    const sites = await ask(site, { url: '/api/v1/sites' });
    expect(sites.text).toBe(
      '{"ok":true,"data":[{"id":"1","tags":null,"color":null},{"id":"2","tags":null,"color":null}],"meta":{"page":1}}',
    );
  });

  test('omitNull leaves out the null at its path and no other', async () => {
    const { body } = await post('/api/acme/items');
    expect(body.data.items).toEqual([
      { id: '1', name: null },
      { id: '2', name: 'b', data: { a: null } },
    ]);
  });
});

describe('failures', () => {
  const refuse = (code: string, message = 'why', extra?: object) => post('/api/acme/refuse', { code, message, extra });

  test.each([
    ['INVALID_INPUT', 400, 'Invalid request body: why'],
    ['MISSING_KEY', 401, 'Missing API Key'],
    ['UNKNOWN_KEY', 403, 'Invalid API Key'],
    ['OUT_OF_CREDITS', 402, 'why'],
    ['NOT_FOUND', 404, 'why'],
    ['UNPROCESSABLE', 400, 'why'],
    ['RATE_LIMITED', 429, 'Rate limit exceeded'],
    ['UNAVAILABLE', 503, 'Service Unavailable'],
    ['BOOM', 500, 'Internal Server Error'],
  ])('catalog answers %s as %i', async (code, status, message) => {
    expect(await refuse(code)).toMatchObject({ status, body: { success: false, message } });
  });

  test('extra keys stand beside the message and cannot replace it', async () => {
    const { body } = await refuse('NOT_FOUND', 'gone $&', { missingIds: ['1'], success: true });
    expect(body).toEqual({ success: false, message: 'gone $&', missingIds: ['1'] });
  });

  test('integration and site content have their own shapes and statuses', async () => {
    expect(await post('/api/v1/refuse', { code: 'UNKNOWN_KEY', message: 'Invalid API Key' })).toMatchObject({
      status: 401,
      body: { error: { message: 'Invalid API Key', status: 401 } },
      headers: { 'cache-control': 'no-store' },
    });
    expect(await ask(site, { url: '/api/v1/refuse?code=CONFLICT&message=taken' })).toMatchObject({
      status: 409,
      body: { ok: false, error: { code: 'CONFLICT', message: 'taken' } },
    });
  });

  test('a value neither given nor refused is an internal error', async () => {
    expect(await post('/api/acme/empty')).toMatchObject({
      status: 500,
      body: { success: false, message: 'Internal Server Error' },
    });
  });

  test.each([
    [{ page: 'x' }, 'page must be an integer'],
    [{ page: 1e11 }, 'page must be an integer between -2147483648 and 2147483647'],
    [{ search: 5 }, 'search must be a string'],
    [{ item: { name: 'a', children: [{}] } }, 'item.children[0].name is required'],
    [{ item: { name: null } }, 'item.name is required'],
    [{ item: { name: 'a', color: 'blue"; Field "x' } }, 'item.color must be one of red, green'],
  ])('%j is refused in a sentence', async (body, message) => {
    expect(await post('/api/acme/products/get', body)).toMatchObject({
      status: 400,
      body: { message: `Invalid request body: ${message}` },
    });
  });

  test('a missing body field is named', async () => {
    expect((await post('/api/acme/products/create', {})).body.message).toBe('Invalid request body: name is required');
    expect((await post('/api/acme/refuse', {})).body.message).toBe('Invalid request body: code is required; message is required');
  });
});

describe('variables', () => {
  const echo = async (body: unknown) => (await post('/api/acme/products/get', JSON.stringify(body))).body.data.seen;
  const leads = async (query: string) => (await get(`/api/v1/leads?${query}`)).body.leads;

  test('the path wins over the query, and the query over the body', async () => {
    const { body } = await post('/api/acme/jobs/path/echo?search=query&job_id=query', { job_id: 'body', search: 'body' });
    expect(body.data.seen).toMatchObject({ search: 'path', constructor: 'query' });
    expect((await post('/api/acme/jobs/path/echo', { search: 'body' })).body.data.seen.constructor).toBe('body');
  });

  test('text of a URL is read by type', async () => {
    expect(await leads('limit=7&ratio=1.5e1&on=true&search=12')).toEqual({ page: 1, limit: 7, ratio: 15, on: true, search: '12' });
  });

  test('lists are repeated or written with commas', async () => {
    expect(await leads('ids=1,2&ids=3&numbers=4,5')).toEqual({ page: 1, limit: 10, ids: ['1', '2', '3'], numbers: [4, 5] });
    expect(await leads('ids=')).toEqual({ page: 1, limit: 10, ids: [] });
  });

  test.each(['limit=', 'limit=x', 'limit=1.5', 'limit=0x10', 'limit=99999999999', 'limit=1&limit=2', 'on=1', 'search=a&search=b'])(
    '%s does not read and is refused',
    async (query) => {
      expect(await get(`/api/v1/leads?${query}`)).toMatchObject({ status: 400, body: { error: { status: 400 } } });
    },
  );

  test('unknown keys are dropped at any depth, but not inside JSON', async () => {
    const data = { any: { thing: [1, { deep: null }] }, constructor: 1 };
    const item = { name: 'a', extra: 1, children: [{ name: 'b', extra: 1, data }] };
    const { item: kept, ...rest } = await echo({ item, data, unknown: 1 });
    expect(kept).toEqual({ name: 'a', color: 'red', children: [{ name: 'b', color: 'red', data }] });
    expect(rest).toEqual({ limit: 20, page: 1, data });
  });

  test('a variable called input takes the whole body, and nothing of the query', async () => {
    const { body } = await post('/api/acme/products/create?input=x&name=query', { name: 'body', input: 'y' });
    expect(body.data.seen).toEqual({ input: { name: 'body', color: 'red' } });
  });

  test('inherited names are no values', async () => {
    expect(await echo({})).toEqual({ page: 1, limit: 20 });
    expect(await echo({ constructor: 'own' })).toMatchObject({ constructor: 'own' });
    expect(
      (await post('/api/acme/products/get', '{"__proto__": {"page": 9}, "item": {"name": "a", "__proto__": {"color": "green"}}}'))
        .body.data.seen,
    ).toEqual({
      page: 1,
      limit: 20,
      item: { name: 'a', color: 'red' },
    });
    expect(({} as { page?: number }).page).toBeUndefined();
  });
});

describe('bodies', () => {
  test.each([
    ['no bytes', undefined, {}],
    ['no bytes of any type', '', { 'content-type': 'text/csv' }],
    ['an empty object', '{}', {}],
    ['JSON of a subtype', '{}', { 'content-type': 'application/merge-patch+json; charset=utf-8' }],
  ])('%s is an empty body', async (_, body, headers) => {
    expect((await post('/api/acme/products/get', body, headers)).body.data.seen).toEqual({ page: 1, limit: 20 });
  });

  test('JSON without a content type is read', async () => {
    const { body } = await ask(main, { method: 'POST', url: '/api/acme/products/get', payload: Buffer.from('{"page":4}') });
    expect(body.data.seen.page).toBe(4);
  });

  test.each<[string, string | Buffer, object]>([
    ['null', 'null', {}],
    ['a list', '[]', {}],
    ['text', '"x"', {}],
    ['a number', '1', {}],
    ['truncated JSON', '{"page":', {}],
    ['an open string', '{"page', {}],
    ['a lone backslash', '"\\', {}],
    ['spaces', '  ', {}],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), {}],
    ['a byte order mark', '\ufeff{}', {}],
    ['a key twice', '{"page":1,"page":2}', {}],
    ['a key twice, escaped', '{"data":{"a":1,"\\u0061":2}}', {}],
    ['100,000 nested lists', `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, {}],
    ['too many bytes', `{"search":"${'x'.repeat(300_000)}"}`, {}],
    ['another type', 'page=1', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', '{}', { 'content-type': 'text/plain' }],
    ['a broken type', '{}', { 'content-type': 'nonsense' }],
  ])('%s is refused as documented', async (_, body, headers) => {
    const answer = await post('/api/acme/products/get', body, headers);
    expect(answer).toMatchObject({
      status: 400,
      body: { success: false, message: expect.stringMatching(/^Invalid request body: the /) },
    });
  });

  test('colons and braces inside strings confuse nobody', async () => {
    const data = { 'a:{"': ':"\\{[', b: ['\\', '":', {}] };
    expect((await post('/api/acme/products/get', { data })).body.data.seen.data).toEqual(data);
  });

  test('a row that reads no body minds none that is JSON', async () => {
    expect(await post('/api/acme/jobs/7/stop', 'null')).toMatchObject({ status: 200 });
    expect(await post('/api/acme/jobs/7/stop', '{')).toMatchObject({ status: 400 });
  });

  test('DELETE takes a body or none', async () => {
    const url = '/api/v1/webhooks';
    expect((await ask(main, { method: 'DELETE', url: `${url}?search=a` })).body.seen.search).toBe('a');
    expect((await ask(main, { method: 'DELETE', url, payload: { search: 'b' } })).body.seen.search).toBe('b');
  });
});

describe('the door', () => {
  const calls: [RequestContext, Requirement][] = [];
  const admissions = {
    ok: admitted,
    limited: {
      ...admitted,
      remaining: 0,
      reset: Math.floor(Date.now() / 1000) + 30,
      refusal: { code: 'RATE_LIMITED', message: 'x' },
    },
    unknown: { ...admitted, refusal: { code: 'UNKNOWN_KEY', message: 'Invalid API Key' } },
  };
  const admit = async (context: RequestContext, requirement: Requirement) => {
    calls.push([context, requirement]);
    const key = context.headers['x-api-key'];
    if (key === 'down') throw fail('UNAVAILABLE', 'no database');
    if (key === 'broken') throw new Error('secret detail');
    return admissions[key as keyof typeof admissions] ?? admitted;
  };
  let guarded: typeof main;
  beforeAll(async () => {
    guarded = await face({ admit });
  });
  afterAll(() => guarded.close());
  const knock = (key: string, url = '/api/acme/products/get') =>
    ask(guarded, { method: 'POST', url, headers: { 'x-api-key': key, 'content-type': 'application/json' }, payload: '{' });

  test('a refusal comes before the body is looked at', async () => {
    expect(await knock('unknown')).toMatchObject({ status: 403, body: { message: 'Invalid API Key' } });
    expect(await knock('unknown', '/api/v1/refuse')).toMatchObject({ status: 401 });
    expect(await knock('ok')).toMatchObject({ status: 400 });
  });

  test('the numbers are on every response, and the wait on a 429', async () => {
    expect(await knock('limited')).toMatchObject({
      status: 429,
      headers: { 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '0', 'retry-after': expect.stringMatching(/^(2\d|30)$/) },
    });
    for (const url of ['/api/acme/products/get', '/api/acme/nothing', '/api/v1/nothing', '/api/v1/leads']) {
      expect(await knock('ok', url)).toMatchObject({ headers: { 'x-ratelimit-limit': '120', 'x-ratelimit-reset': '1900000000' } });
    }
  });

  test('a door that fails tells nothing', async () => {
    expect(await knock('down')).toMatchObject({ status: 503, body: { success: false, message: 'Service Unavailable' } });
    const broken = await knock('broken');
    expect(broken).toMatchObject({ status: 500, body: { success: false, message: 'Internal Server Error' } });
  });

  test('only the named headers pass, and the organization is that of the address', async () => {
    const headers = {
      'x-api-key': 'ok',
      authorization: 'Bearer b',
      origin: 'https://a.example',
      cookie: 'c',
      'x-organization': 'evil',
      'x-client-address': 'evil',
    };
    calls.length = 0;
    await ask(guarded, { method: 'POST', url: '/api/acme/items', headers });
    await ask(guarded, { url: '/api/v1/leads?organization=other', headers });
    await ask(guarded, { url: '/api/v1/me', headers });
    await ask(guarded, { url: '/api/agents/helper/config', headers });
    const own = { 'x-client-address': '127.0.0.1', origin: 'https://a.example' };
    const keys = { 'x-api-key': 'ok', authorization: 'Bearer b' };
    expect(calls.map(([context, requirement]) => [context.headers, requirement])).toEqual([
      [{ ...own, ...keys, 'x-organization': 'acme' }, { access: 'organization' }],
      [
        { ...own, ...keys, 'x-organization': 'other' },
        { access: 'organization', plan: 'growth' },
      ],
      [{ ...own, ...keys }, { access: 'user' }],
      [own, { access: 'public' }],
    ]);
    expect(seen.context).toBe(calls.at(-1)?.[0]);
  });

  test('a name that no header can hold is encoded', async () => {
    calls.length = 0;
    await ask(guarded, { method: 'POST', url: '/api/a%00%0a%C3%A9/items' });
    expect(calls[0]?.[0].headers['x-organization']).toBe('a%00%0A%C3%A9');
  });
});

describe('paths', () => {
  test.each([
    ['/api/organizations/get', 'organizations'],
    ['/api/v1/me', 'me'],
    ['/api/agents/agents/config', 'agents'],
    ['/api/acme/agents', 'agents'],
    ['/api/acme/agents/x', 'x'],
  ])('%s reaches its own row', async (url, text) => {
    const { body } = await get(url);
    expect(body.data ?? body).toEqual({ text });
  });

  const form = { flat: { success: false, message: 'Not Found' }, error: { error: { message: 'Not Found', status: 404 } } };
  test.each([
    ['/api/acme', form.flat],
    ['/api/acme/nothing', form.flat],
    ['/api/acme/agents/a/nothing', form.flat],
    ['/api/organizations', form.flat],
    ['/api/organizations/nothing', form.flat],
    ['/api/agents/a/nothing', form.flat],
    ['/api/v1', form.error],
    ['/api/v1/nothing/at/all', form.error],
    ['/api/v1/leads/', form.error],
  ])('%s is not found in the form of its surface', async (url, body) => {
    expect(await get(url)).toMatchObject({ status: 404, body });
    expect(await post(url, '{')).toMatchObject({ status: 404, body });
  });

  test('site content answers in its own form', async () => {
    const body = { ok: false, error: { code: 'NOT_FOUND', message: 'Not Found' } };
    expect(await ask(site, { url: '/api/v1/leads' })).toMatchObject({ status: 404, body });
  });

  test('a wrong verb is told the right ones', async () => {
    expect(await get('/api/acme/products/get')).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
      body: { success: false },
    });
    expect(await post('/api/v1/me')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
      body: { error: { status: 405 } },
    });
    expect(await post('/api/acme/agents')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  test('HEAD and OPTIONS are answered', async () => {
    expect(await ask(main, { method: 'HEAD', url: '/api/v1/me' })).toMatchObject({ status: 200, text: '' });
    expect(await ask(main, { method: 'HEAD', url: '/api/acme/products/get' })).toMatchObject({ status: 405 });
    expect(await ask(main, { method: 'OPTIONS', url: '/api/acme/products/get' })).toMatchObject({
      status: 204,
      headers: { allow: 'POST' },
    });
    expect(await ask(main, { method: 'OPTIONS', url: '/api/agents/a/config' })).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-methods': 'GET, HEAD', 'access-control-allow-origin': '*' },
    });
    expect(await ask(main, { method: 'OPTIONS', url: '/api/acme/nothing' })).toMatchObject({ status: 404 });
  });

  test.each([
    ['a broken escape', '/api/acme/jobs/%/stop', 400],
    ['an overlong NUL', '/api/acme/jobs/%c0%80/stop', 400],
    ['a NUL', '/api/acme/jobs/%00/stop', 400],
    ['a long id', `/api/acme/jobs/${'x'.repeat(5000)}/stop`, 404],
    ['a long organization', `/api/${'x'.repeat(5000)}/items`, 404],
  ])('%s in a path is refused as documented', async (_, url, status) => {
    expect(await post(url)).toMatchObject({ status, body: { success: false, message: expect.any(String) } });
  });

  test('an unreadable path takes the form of its surface', async () => {
    expect(await get('/api/v1/%')).toMatchObject({ status: 400, body: { error: { status: 400 } } });
    expect(await get('/api/v1/agents/%')).toMatchObject({ status: 400, body: { error: { status: 400 } } });
    expect(await get('/api/acme/agents/%')).toMatchObject({ status: 400, body: { success: false } });
    expect(await ask(site, { url: '/api/v1/%' })).toMatchObject({ status: 400, body: { ok: false } });
  });
});

describe('a fault in a table stops the start and names the row', () => {
  const start =
    (graphql: string, key: `POST /${string}` = 'POST /x') =>
    () =>
      restAdapter({
        tables: [table(catalog, { [key]: { summary: '', graphql, example: {} } })],
        schema,
        prepare,
        admit: async () => admitted,
        listener: 'main',
        version: '1',
      });

  test.each([
    ['{ nothing }', 'POST /x', /^POST \/api\/\{organization\}\/x: Cannot query field "nothing"/],
    ['{', 'POST /x', /^POST \/api\/\{organization\}\/x: Syntax Error/],
    ['{ a: empty { seen } b: empty { seen } }', 'POST /x', /one root field/],
    ['{ empty { seen } }', 'POST /x/{id}', /no variable reads \{id\}/],
  ] as const)('%s at %s', (graphql, key, message) => {
    expect(start(graphql, key)).toThrow(message);
  });
});

test('a wrong verb does not compile', () => {
  // @ts-expect-error no such verb
  expect(table(catalog, { 'FETCH /x': { summary: '', graphql: '', example: {} } })).toBeDefined();
});
