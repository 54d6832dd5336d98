import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fail } from '../../../schema/errors.ts';
import type { Checks } from '../../../schema/readiness.ts';
import { until } from '../../support/until.ts';
import { endpoint } from './endpoint.ts';

const sentence = 'HTTPS is required: plain HTTP is accepted on a loopback address only';
const outside = '192.0.2.7';

test('plain HTTP from other hosts is rejected with a message, unless the operator allows it', async () => {
  await using graph = await endpoint();
  const refused = await graph.app.inject({ url: '/graphql?query={hello}', remoteAddress: outside });
  expect([refused.statusCode, refused.json()]).toMatchObject([
    403,
    { errors: [{ message: sentence, extensions: { code: 'FORBIDDEN' } }] },
  ]);
  const elsewhere = await graph.app.inject({ url: '/nowhere', remoteAddress: outside });
  expect([elsewhere.statusCode, elsewhere.json()]).toEqual([403, { success: false, message: sentence }]);
  expect((await graph.app.inject({ url: '/healthz', remoteAddress: outside })).statusCode).toBe(200);

  await using open = await endpoint({}, { allowHttp: true });
  expect((await open.app.inject({ url: '/nowhere', remoteAddress: outside })).statusCode).toBe(404);
});

test.each([
  ['https', 404],
  ['http', 403],
])('behind a trusted proxy the forwarded protocol decides: %s is %i', async (protocol, status) => {
  await using graph = await endpoint({}, { trustProxy: true });
  const { statusCode } = await graph.app.inject({ url: '/nowhere', headers: { 'x-forwarded-proto': protocol } });
  expect(statusCode).toBe(status);
});

test('forwarded headers are ignored without a trusted proxy', async () => {
  await using graph = await endpoint();
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.1' };
  expect((await graph.app.inject({ url: '/nowhere', remoteAddress: outside, headers })).statusCode).toBe(403);
});

test('only the last forwarded address, from the proxy, counts', async () => {
  await using graph = await endpoint({}, { trustProxy: true });
  await graph.ask('{ hello }', { 'x-forwarded-proto': 'https', 'x-forwarded-for': '1.1.1.1, 198.51.100.1' });
  expect(graph.seen.contexts[0]!.headers['x-client-address']).toBe('198.51.100.1');
});

test('the server speaks HTTPS by itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const wish = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost -keyout ${key} -out ${cert}`;
  execFileSync('openssl', wish.split(' '), { stdio: 'ignore' });
  await using graph = await endpoint({}, { tls: { cert: readFileSync(cert), key: readFileSync(key) } });
  const status = await new Promise((done, reject) =>
    request(`${graph.url}/healthz`, { rejectUnauthorized: false }, (response) => done(response.resume().statusCode))
      .on('error', reject)
      .end(),
  );
  expect(status).toBe(200);
});

test('readiness checks every dependency and names missing ones', async () => {
  let error: Error | undefined;
  const database = async () => {
    if (error) throw error;
  };
  const never = () => new Promise(() => {});
  const needed: Checks = { database, agent: async () => {} };
  await using graph = await endpoint({}, { checks: needed });
  const ask = async (url: string) => {
    const response = await fetch(`${url}/readyz`);
    return [response.status, await response.json()];
  };
  expect(await ask(graph.url)).toEqual([200, { status: 'ready' }]);
  error = new Error('secret: no database');
  expect(await ask(graph.url)).toEqual([503, { status: 'unavailable', missing: ['database'] }]);

  await using hanging = await endpoint({}, { checks: { ...needed, catalog: never } });
  expect(await ask(hanging.url)).toEqual([503, { status: 'unavailable', missing: ['database', 'catalog'] }]);
});

test('a closing process reports it, responds, and closes each connection', async () => {
  const leaving = new AbortController();
  await using graph = await endpoint({}, { leaving: leaving.signal });
  expect((await fetch(`${graph.url}/healthz`)).headers.get('connection')).toBe('keep-alive');
  leaving.abort();
  const ready = await fetch(`${graph.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'closing' }]);
  const alive = await fetch(`${graph.url}/healthz`);
  expect([alive.status, alive.headers.get('connection')]).toEqual([200, 'close']);
});

test('a documented error has its status, and any other is masked with the request id', async () => {
  await using graph = await endpoint({}, {}, (app) => {
    app.get('/missing', () => Promise.reject(fail('NOT_FOUND', 'Product not found')));
    app.get('/broken', () => Promise.reject(new Error('secret: no database')));
  });
  const missing = await fetch(`${graph.url}/missing`);
  expect([missing.status, await missing.json()]).toEqual([404, { success: false, message: 'Product not found' }]);

  const broken = await fetch(`${graph.url}/broken`);
  expect([broken.status, await broken.json()]).toEqual([500, { success: false, message: 'Internal Server Error' }]);
  const id = broken.headers.get('x-request-id')!;
  expect(graph.seen.log.find((line) => line.includes('secret: no database'))).toContain(id);
});

test('an unknown address is 404', async () => {
  await using graph = await endpoint();
  expect(await (await fetch(`${graph.url}/nowhere`)).json()).toEqual({ success: false, message: 'Not found' });
});

test('credentials, bodies and query strings stay out of the log, except the name of the operation', async () => {
  await using graph = await endpoint();
  await graph.ask('query Named { hidden: hello }', { 'x-api-key': 'good', cookie: 'a=cookie-of-ada' });
  await fetch(`${graph.url}/graphql?query={hello}&variables={"a":"hidden-value"}`, {
    headers: { 'apollo-require-preflight': '1' },
  });
  graph.app.log.info({ headers: { 'x-api-key': 'key-of-ada', authorization: 'key-of-ada' } }, 'by accident');
  expect(graph.seen.log.join('')).toContain('"operation":"query Named"');
  expect(graph.seen.log.join('')).not.toMatch(/hidden:|hidden-value|key-of-ada|cookie-of-ada/);
});

test('a running request finishes on shutdown and then no longer delays it', async () => {
  // A shutdown that waits for these limits exceeds the time of the test.
  const graph = await endpoint({ drainTimeout: 600_000 }, { drainTimeout: 600_000 });
  const answer = graph.ask('{ slow(ms: 200) }');
  await until(() => graph.seen.contexts.length > 0);
  await graph.app.close();
  expect(await answer).toMatchObject({ status: 200, body: { data: { slow: 'done' } } });
});
