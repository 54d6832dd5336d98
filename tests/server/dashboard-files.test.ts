import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { reference } from '../../rest-adapter/openapi/reference.ts';
import { createLogger } from '../../server/logging.ts';
import { createServer } from '../../server/server.ts';
import { servePages } from '../../server/static-pages.ts';
import { compressFiles } from '../../start/page-builds.ts';

const SCRIPT = `console.log("dashboard");${' '.repeat(2_000)}`;
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const document = { info: { title: 'Reference' } } as never;

let folder: string;
let app: FastifyInstance;
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

/** A server with the pages of these folders, and one API route. */
async function serverOf(dashboard: string, widget: string): Promise<FastifyInstance> {
  const server = createServer({ logger: createLogger('silent', new Writable()) });
  const sendHome = await servePages(server, { dashboard, widget });
  server.get('/api/ping', () => ({ ok: true }));
  server.register(reference({ document: () => document, listener: 'main', sendHome }));
  return server;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-graph-pages-'));
  await mkdir(join(folder, 'dashboard', 'assets'), { recursive: true });
  await writeFile(join(folder, 'dashboard', 'index.html'), '<!doctype html><title>Dashboard</title>');
  await writeFile(join(folder, 'dashboard', '.fingerprint'), 'hidden');
  await writeFile(join(folder, 'dashboard', 'favicon.svg'), '<svg/>');
  await writeFile(join(folder, 'dashboard', 'assets', 'index-4f3a.js'), SCRIPT);
  await writeFile(join(folder, 'widget.js'), 'widget()');
  await writeFile(join(folder, 'widget-panel.js'), 'widget()');
  await writeFile(join(folder, 'private.txt'), 'private');
  await compressFiles(join(folder, 'dashboard'));
  app = await serverOf(join(folder, 'dashboard'), join(folder, 'widget.js'));
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

test('browsers get the dashboard at its root and at every path without another route', async () => {
  for (const path of ['/', '/products', '/products/SKU-1.5?tab=history', '/auth-help', '/favicon.svg/edit']) {
    const { statusCode, body, headers } = await get(path, html);
    expect([path, statusCode, body]).toEqual([path, 200, expect.stringContaining('Dashboard')]);
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': expect.stringContaining('text/html') });
  }
  expect((await app.inject({ method: 'HEAD', url: '/products', headers: html })).statusCode).toBe(200);
});

test('the page runs no inline script, loads nothing from other hosts, and is not framed', async () => {
  const policy = (await get('/', html)).headers['content-security-policy'] as string;
  const directives = new Map(policy.split('; ').map((each) => [each.split(' ')[0], each.split(' ').slice(1).join(' ')]));
  expect(directives.get('default-src')).toBe("'none'");
  expect(directives.get('script-src')).toBe("'self'");
  expect(directives.get('connect-src')).toBe("'self'");
  expect(directives.get('frame-ancestors')).toBe("'none'");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
});

test('clients of the API get the addresses at the root, and 404 for unknown paths', async () => {
  expect((await get('/', { accept: 'application/json' })).json()).toMatchObject({ reference: '/docs', graphql: '/graphql' });
  expect((await get('/')).headers.vary).toContain('accept');
  const missing = await get('/products', { accept: 'application/json' });
  expect([missing.statusCode, missing.json()]).toEqual([404, { success: false, message: 'Not found' }]);
  expect((await app.inject({ method: 'POST', url: '/products', headers: html })).statusCode).toBe(404);
  expect((await get('/api/ping', html)).json()).toEqual({ ok: true });
});

test('assets with a hash in their name are immutable and sent compressed', async () => {
  const plain = await get('/assets/index-4f3a.js');
  expect([plain.statusCode, plain.body]).toEqual([200, SCRIPT]);
  expect(plain.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  });
  const compressed = await get('/assets/index-4f3a.js', { 'accept-encoding': 'gzip, br' });
  expect(compressed.headers).toMatchObject({ 'content-encoding': 'br', 'content-type': expect.stringContaining('javascript') });
  expect(compressed.rawPayload.length).toBeLessThan(200);
  const missing = await get('/assets/index-0000.js', html);
  expect([missing.statusCode, missing.headers['cache-control']]).toEqual([404, undefined]);
});

test('files outside the build and hidden files cannot be read', async () => {
  for (const path of [
    '/assets/../../private.txt',
    '/assets/..%2f..%2fprivate.txt',
    '/assets/%2e%2e/.fingerprint',
    '/.fingerprint',
    '/assets/%00',
  ]) {
    const { statusCode, body } = await get(path);
    expect([path, statusCode >= 400, /private|hidden/.test(body)]).toEqual([path, true, false]);
  }
});

test('the answer does not tell which files exist outside the build', async () => {
  for (const name of ['private.txt', 'missing.txt']) expect((await get(`/assets/..%2f..%2f${name}`)).statusCode).toBe(404);
  for (const path of ['/assets/..%2findex.html', '/assets/']) expect((await get(path)).statusCode).toBe(404);
});

test('malformed paths are refused, also behind a fragment', async () => {
  expect([400, 404]).toContain((await get('/assets/%zz')).statusCode);
  const server = await serverOf(join(folder, 'dashboard'), join(folder, 'widget.js'));
  const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
  const status = await new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/assets/index-4f3a.js#%zz', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });
  expect(status).toBeLessThan(500);
  await server.close();
});

test.each(['/widget.js', '/widget-panel.js?3f'])('any website may load %s of the widget and revalidate it', async (script) => {
  const { headers, body } = await get(script, { origin: 'https://shop.example' });
  expect(body).toBe('widget()');
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'public, max-age=300',
    'content-type': expect.stringContaining('javascript'),
  });
  expect((await get(script, { 'if-none-match': headers.etag as string })).statusCode).toBe(304);
});

test('without a build, browsers are led to the reference', async () => {
  const bare = await serverOf(join(folder, 'nothing'), join(folder, 'nothing', 'widget.js'));
  const { statusCode, headers } = await bare.inject({ url: '/', headers: html });
  expect([statusCode, headers.location]).toEqual([302, '/docs']);
  for (const url of ['/products', '/widget.js']) expect((await bare.inject({ url, headers: html })).statusCode).toBe(404);
  await bare.close();
});
