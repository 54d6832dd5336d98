import { ask, main, post } from './engine-requests.ts';

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
])('%s is rejected as documented', async (_, body, headers) => {
  const answer = await post('/api/acme/products/get', body, headers);
  expect(answer).toMatchObject({
    status: 400,
    body: { success: false, message: expect.stringMatching(/^Invalid request body: the /) },
  });
});

test('colons and braces inside strings are parsed correctly', async () => {
  const data = { 'a:{"': ':"\\{[', b: ['\\', '":', {}] };
  expect((await post('/api/acme/products/get', { data })).body.data.seen.data).toEqual(data);
});

test('a route without a body accepts any JSON body', async () => {
  expect(await post('/api/acme/jobs/7/stop', 'null')).toMatchObject({ status: 200 });
  expect(await post('/api/acme/jobs/7/stop', '{')).toMatchObject({ status: 400 });
});

test('DELETE accepts a body and ignores it', async () => {
  const url = '/api/v1/webhooks';
  expect((await ask(main, { method: 'DELETE', url: `${url}?search=a` })).body.seen.search).toBe('a');
  expect((await ask(main, { method: 'DELETE', url, payload: { search: 'b' } })).body.seen.search).toBeFalsy();
});
