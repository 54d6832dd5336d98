import { ask, post, site } from './engine-requests.ts';

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
])('catalog returns %s as %i', async (code, status, message) => {
  expect(await refuse(code)).toMatchObject({ status, body: { success: false, message } });
});

test('extra keys are added to the message and cannot replace it', async () => {
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

test('a result without data and errors is an internal error', async () => {
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
])('%j is rejected with a message', async (body, message) => {
  expect(await post('/api/acme/products/get', body)).toMatchObject({
    status: 400,
    body: { message: `Invalid request body: ${message}` },
  });
});

test('a missing body field is named', async () => {
  expect((await post('/api/acme/products/create', {})).body.message).toBe('Invalid request body: name is required');
  expect((await post('/api/acme/refuse', {})).body.message).toBe('Invalid request body: code is required; message is required');
});
