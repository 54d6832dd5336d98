import { get, post } from './engine-requests.ts';

const echo = async (body: unknown) => (await post('/api/acme/products/get', JSON.stringify(body))).body.data.seen;
const leads = async (query: string) => (await get(`/api/v1/leads?${query}`)).body.leads;

test('the path takes precedence over the query, and the query over the body', async () => {
  const { body } = await post('/api/acme/jobs/path/echo?search=query&job_id=query', { job_id: 'body', search: 'body' });
  expect(body.data.seen).toMatchObject({ search: 'path', constructor: 'query' });
  expect((await post('/api/acme/jobs/path/echo', { search: 'body' })).body.data.seen.constructor).toBe('body');
});

test('URL values are parsed by type', async () => {
  expect(await leads('limit=7&ratio=1.5e1&on=true&search=12')).toEqual({ page: 1, limit: 7, ratio: 15, on: true, search: '12' });
});

test('lists are repeated or comma-separated', async () => {
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

test('a variable named input takes the whole body, and nothing from the query', async () => {
  const { body } = await post('/api/acme/products/create?input=x&name=query', { name: 'body', input: 'y' });
  expect(body.data.seen).toEqual({ input: { name: 'body', color: 'red' } });
});

test('inherited property names are not values', async () => {
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
