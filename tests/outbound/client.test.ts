import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { OutboundSession } from '../../platform/outbound/outbound-client.ts';
import { serve } from '../support/http-server.ts';
import { selfSigned } from './certificate.ts';
import { outbound } from './client.ts';

const bomb = gzipSync(Buffer.alloc(50_000_000));
const codings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };

const site = await serve(async (request, response) => {
  const path = request.url!.slice(1);
  response.on('error', () => {});
  if (path === 'moved') return response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  if (path === 'large') return response.end(Buffer.alloc(2_000));
  if (path === 'unannounced') return response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(Buffer.alloc(2_000));
  if (path === 'bomb') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  if (path === 'broken') return response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip');
  if (path === 'raw') return response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateRawSync('packed'));
  if (path in codings) {
    return response.writeHead(200, { 'content-encoding': path }).end(codings[path as keyof typeof codings]('packed'));
  }
  if (path === 'headers') return response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end();
  if (path === 'cut') return response.writeHead(200, { 'content-length': '10' }).write('half', () => request.socket.destroy());
  if (path === 'silent') return undefined;
  if (path === 'drip') {
    // Without an end, because its reader must not wait for one.
    while (!response.destroyed) {
      response.write('.');
      await wait(50);
    }
    return undefined;
  }
  const chunks = await request.toArray();
  return response
    .writeHead(404, { 'X-Seen': 'yes' })
    .end(JSON.stringify({ headers: request.headers, body: String(chunks[0] ?? '') }));
});
const client = outbound({ allowHosts: [site.host], userAgent: 'test/1' });
const ask = (path: string, asked = {}) => client.request(`${site.url}/${path}`, asked);

test('any status except a redirect is a response', async () => {
  const answer = await ask('echo?a=1#part', {
    method: 'POST',
    body: 'hello',
    headers: { 'X-Mine': '1', Host: 'inner', 'Content-Length': '1' },
  });
  expect(answer).toMatchObject({ status: 404, truncated: false, url: `${site.url}/echo?a=1#part` });
  expect(answer.headers['x-seen']).toBe('yes');
  expect(JSON.parse(answer.body.toString())).toMatchObject({
    body: 'hello',
    headers: { host: site.host, 'x-mine': '1', 'user-agent': 'test/1', 'content-length': '5' },
  });
});

test.each(['gzip', 'br', 'deflate', 'raw'])('a response with encoding %s is decoded', async (path) => {
  expect((await ask(path)).body.toString()).toBe('packed');
});

test.each([
  ['moved', 'redirect', {}],
  ['large', 'too_large', { maxBytes: 1_000 }],
  ['unannounced', 'too_large', { maxBytes: 1_000 }],
  ['bomb', 'too_large', { maxBytes: 1_000_000 }],
  ['broken', 'type', {}],
  ['headers', 'too_large', {}],
  ['cut', 'unreachable', {}],
  ['silent', 'timeout', { timeoutMs: 100 }],
  ['drip', 'timeout', { timeoutMs: 200 }],
  ['echo', 'request', { headers: { 'x-mine': 'a\r\nb: c' } }],
  ['echo', 'request', { method: 'CONNECT' }],
])('/%s is rejected as %s', async (path, kind, asked) => {
  const refusal = await ask(path, asked).catch((error) => error);
  expect(refusal).toMatchObject({ name: 'OutboundRefused', kind });
  expect(refusal.message).not.toMatch(/127\.0\.0\.1|\d{4}/);
});

test('the first bytes of a body are returned, also when the rest is cut off, but not when it is late', async () => {
  const prefix = async (path: string, timeoutMs: number) => {
    const { status, body, truncated } = await ask(path, { prefixBytes: 10, timeoutMs });
    return [status, body.toString(), truncated];
  };
  expect(await prefix('cut', 5_000)).toEqual([200, 'half', true]);
  await expect(prefix('drip', 280)).rejects.toMatchObject({ kind: 'timeout' });
  await expect(ask('drip', { prefixBytes: 10, signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('cancellation returns the reason of the caller', async () => {
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(new Error('gone')), 50);
  await expect(ask('drip', { signal: leaving.signal })).rejects.toThrow('gone');
  await expect(ask('echo', { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
});

test('a port where nobody listens is unreachable', async () => {
  const refusal = await outbound({ allowHosts: ['127.0.0.1'] })
    .request('http://127.0.0.1:1/')
    .catch((error) => error);
  expect(refusal).toMatchObject({ kind: 'unreachable', message: 'The address could not be reached.' });
});

test('an unresponsive resolver times out', async () => {
  const lookup = () => new Promise<never>(() => {});
  await expect(outbound({ lookup, timeoutMs: 100 }).request('http://shop.example/')).rejects.toMatchObject({ kind: 'timeout' });
});

test('an untrusted certificate is rejected', async () => {
  const server = createSecureServer(selfSigned, (_, response) => response.end('secret'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const refusal = await outbound({ allowHosts: ['127.0.0.1'] })
    .request(`https://127.0.0.1:${port}/`)
    .catch((error) => error);
  server.close();
  expect(refusal).toMatchObject({ kind: 'tls', message: 'The certificate of the address is self-signed.' });
});

describe('a stream', () => {
  let session: OutboundSession;
  beforeAll(async () => {
    session = await client.openSession(site.url);
  });
  afterAll(() => session.close());
  const read = async (path: string, options = {}) => {
    const { body } = await session.stream(`${site.url}/${path}`, options);
    let text = '';
    for await (const chunk of body) text += chunk.toString();
    return text;
  };

  test('passes chunks on as they arrive', async () => {
    const { status, headers, body } = await session.stream(`${site.url}/drip`);
    for await (const chunk of body) {
      expect([status, headers['transfer-encoding'], chunk.toString()]).toEqual([200, 'chunked', expect.stringMatching(/^\.+$/)]);
      break;
    }
  });

  test.each([
    ['large', { maxBytes: 1_000 }, 'too_large'],
    ['drip', { timeoutMs: 200 }, 'timeout'],
    ['silent', { timeoutMs: 200 }, 'timeout'],
    ['moved', {}, 'redirect'],
    ['cut', {}, 'unreachable'],
  ])('of %s with %j is refused', async (path, options, kind) => {
    await expect(read(path, options)).rejects.toMatchObject({ name: 'OutboundRefused', kind });
  });

  test('ends with the reason of the signal', async () => {
    await expect(read('drip', { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('to a private address is refused', async () => {
    const guarded = outbound({ allowHosts: [] });
    await expect(guarded.openSession(site.url)).rejects.toMatchObject({ kind: 'address' });
    await expect(session.stream('http://localhost:1/')).rejects.toMatchObject({ kind: 'address' });
  });

  test('counts with its session as one of 32 requests of an owner to an origin, until the session is closed', async () => {
    const owned = client.ownedBy('one');
    const sessions = await Promise.all(Array.from({ length: 32 }, () => owned.openSession(site.url)));
    for (const each of sessions.slice(0, 2)) await each.stream(`${site.url}/drip`);
    const order: string[] = [];
    const waiting = owned.request(`${site.url}/text`).then(() => order.push('own'));
    await client.ownedBy('other').request(`${site.url}/text`);
    order.push('other');
    await expect(owned.openSession(site.url, AbortSignal.timeout(50))).rejects.toThrow('timeout');
    expect(order).toEqual(['other']);
    sessions[0]!.close();
    sessions[0]!.close();
    await waiting;
    for (const each of sessions) each.close();
  });
});
