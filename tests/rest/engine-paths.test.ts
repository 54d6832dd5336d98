import { wellFormed } from '../../rest-adapter/answer/unmatched.ts';
import { ask, get, main, post, site } from './engine-requests.ts';

test.each([
  ['/api/organizations/get', 'organizations'],
  ['/api/v1/me', 'me'],
  ['/api/agents/agents/config', 'agents'],
  ['/api/acme/agents', 'agents'],
  ['/api/acme/agents/x', 'x'],
])('%s reaches its route', async (url, text) => {
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
])('%s is not found, in the format of its API', async (url, body) => {
  expect(await get(url)).toMatchObject({ status: 404, body });
  expect(await post(url, '{')).toMatchObject({ status: 404, body });
});

test('site content responds in its own format', async () => {
  const body = { ok: false, error: { code: 'NOT_FOUND', message: 'Not Found' } };
  expect(await ask(site, { url: '/api/v1/leads' })).toMatchObject({ status: 404, body });
});

test('a wrong method gets the allowed ones', async () => {
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
])('%s in a path is rejected as documented', async (_, url, status) => {
  expect(await post(url)).toMatchObject({ status, body: { success: false, message: expect.any(String) } });
});

test('a malformed path gets the format of its API', async () => {
  expect(await get('/api/v1/%')).toMatchObject({ status: 400, body: { error: { status: 400 } } });
  expect(await get('/api/v1/agents/%')).toMatchObject({ status: 400, body: { error: { status: 400 } } });
  expect(await get('/api/acme/agents/%')).toMatchObject({ status: 400, body: { success: false } });
  expect(await ask(site, { url: '/api/v1/%' })).toMatchObject({ status: 400, body: { ok: false } });
});

describe('a malformed path outside of the APIs', () => {
  const page = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  test.each(['/o/x/jobs/%E0%A4%A', '/o/x/%?tab=%zz'])('%s leads a browser to the page for unknown paths', async (url) => {
    const { status, headers } = await ask(main, { url, headers: page });
    expect([status, headers.location]).toEqual([302, wellFormed(url)]);
    const next = await ask(main, { url: headers.location as string, headers: page });
    expect([next.status, next.headers.location]).toEqual([404, undefined]);
  });

  test.each([
    ['/o/x/jobs/%E0%A4%A', '/o/x/jobs/%25E0%25A4%25A'],
    ['/o/x/%?tab=%zz', '/o/x/%25'],
    ['//evil.example/%', '/evil.example/%25'],
    ['/\\/evil.example/%', '/evil.example/%25'],
    ['\\/evil.example\\%', '/evil.example%5C%25'],
    ['/\t/evil.example/%', '/%09/evil.example/%25'],
    ['https://evil.example/%', '/https://evil.example/%25'],
    ['/..//evil.example/%#x', '/..//evil.example/%25%23x'],
  ])('the well-formed path of %j is %s, on the same host', (url, path) => {
    expect(wellFormed(url)).toBe(path);
    expect(new URL(path, 'https://own.example').origin).toBe('https://own.example');
    expect(() => decodeURIComponent(path)).not.toThrow();
  });

  test.each([
    ['another client', main, { url: '/o/x/jobs/%E0%A4%A' }],
    ['a client of JSON', main, { url: '/o/x/jobs/%E0%A4%A', headers: { accept: 'application/json' } }],
    ['a form', main, { method: 'POST', url: '/o/x/jobs/%E0%A4%A', headers: page }],
    ['a browser at the site content', site, { url: '/o/x/jobs/%E0%A4%A', headers: page }],
  ] as const)('is not found for %s', async (_, server, request) => {
    expect(await ask(server, request)).toMatchObject({ status: 404, body: { message: 'Not Found' } });
  });

  test('of an API gets its format, also in a browser', async () => {
    expect(await ask(main, { url: '/api/acme/agents/%', headers: page })).toMatchObject({ status: 400, body: { success: false } });
  });
});
