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
