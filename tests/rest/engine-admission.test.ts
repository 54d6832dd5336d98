import type { RequestContext } from 'compiled-gateway';
import { fail } from '../../schema/errors.ts';
import type { Requirement } from '../../schema/request.ts';
import { admitted, face, seen } from './engine-face.ts';
import { ask, type main } from './engine-requests.ts';

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

test('a rejection precedes the parsing of the body', async () => {
  expect(await knock('unknown')).toMatchObject({ status: 403, body: { message: 'Invalid API Key' } });
  expect(await knock('unknown', '/api/v1/refuse')).toMatchObject({ status: 401 });
  expect(await knock('ok')).toMatchObject({ status: 400 });
});

test('rate-limit headers are on every response, and Retry-After on a 429', async () => {
  expect(await knock('limited')).toMatchObject({
    status: 429,
    headers: { 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '0', 'retry-after': expect.stringMatching(/^(2\d|30)$/) },
  });
  const unreadable = ['/api/acme/products/%', '/api/v1/%', `/api/${'x'.repeat(5_000)}/products/get`];
  for (const url of ['/api/acme/products/get', '/api/acme/nothing', '/api/v1/nothing', '/api/v1/leads', ...unreadable]) {
    expect(await knock('ok', url)).toMatchObject({ headers: { 'x-ratelimit-limit': '120', 'x-ratelimit-reset': '1900000000' } });
  }
});

test('admission also applies to malformed paths', async () => {
  expect(await knock('limited', '/api/acme/products/%')).toMatchObject({ status: 429, body: { message: 'Rate limit exceeded' } });
  expect(await knock('unknown', '/api/acme/products/%')).toMatchObject({ status: 403, body: { message: 'Invalid API Key' } });
  expect(await knock('down', '/api/acme/products/%')).toMatchObject({ status: 503, body: { message: 'Service Unavailable' } });
});

test('a failing admission reveals nothing', async () => {
  expect(await knock('down')).toMatchObject({ status: 503, body: { success: false, message: 'Service Unavailable' } });
  const broken = await knock('broken');
  expect(broken).toMatchObject({ status: 500, body: { success: false, message: 'Internal Server Error' } });
});

test('only named headers are forwarded, and the path determines the organization', async () => {
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
    [
      { ...own, ...keys, 'x-organization': 'acme' },
      { access: 'organization', level: 'member' },
    ],
    [
      { ...own, ...keys, 'x-organization': 'other' },
      { access: 'organization', level: 'member', plan: 'growth' },
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
