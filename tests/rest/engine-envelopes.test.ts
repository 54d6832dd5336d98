import { ask, get, post, site } from './engine-requests.ts';

test('catalog wraps the payload in data', async () => {
  const { status, text, headers } = await post('/api/acme/products/get', { page: 3 });
  expect([status, text]).toEqual([200, '{"success":true,"data":{"seen":{"page":3,"limit":20}}}']);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
});

test('a route can have its own status and constants', async () => {
  expect(await post('/api/acme/products/create', { name: 'a' })).toMatchObject({ status: 201 });
  expect((await post('/api/acme/jobs/7/stop')).text).toBe(
    '{"success":true,"message":"Job stopped","data":{"jobId":"7","name":"stopped"}}',
  );
});

test('integration and widget return the bare payload, with their headers', async () => {
  expect(await get('/api/v1/leads?limit=5')).toMatchObject({
    body: { leads: { limit: 5 } },
    headers: { 'cache-control': 'no-store' },
  });
  expect(await get('/api/agents/helper/config')).toMatchObject({
    body: { text: 'helper' },
    headers: { 'access-control-allow-origin': '*' },
  });
});

test('site content returns ok next to its lists', async () => {
  expect((await ask(site, { url: '/api/v1/me' })).body).toEqual({ ok: true, data: { text: 'site' } });
  const sites = await ask(site, { url: '/api/v1/sites' });
  expect(sites.text).toBe(
    '{"ok":true,"data":[{"id":"1","tags":null,"color":null},{"id":"2","tags":null,"color":null}],"meta":{"page":1}}',
  );
});

test('omitNull omits only the null at its path', async () => {
  const { body } = await post('/api/acme/items');
  expect(body.data.items).toEqual([
    { id: '1', name: null },
    { id: '2', name: 'b', data: { a: null } },
  ]);
});
