import dns, { type LookupAddress } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { createLookup } from '../../platform/outbound/guard.ts';
import { shareLookups } from '../../start/process/patches/dns.ts';
import { serve } from '../support/http-server.ts';
import { until } from '../support/until.ts';
import { outbound } from './client.ts';
import { startNameServer } from './name-server.ts';

test('an unresponsive name server blocks neither other names nor file access', async () => {
  const { address, asked } = await startNameServer(() => []);
  const client = outbound({ lookup: createLookup({ servers: [address], timeout: 2_000 }), timeoutMs: 3_000 });
  const waiting = Array.from({ length: 50 }, (_, nth) => client.request(`https://shop-${nth}.example/`).catch((error) => error));
  await until(() => asked.length >= 50);
  const first = await Promise.race([Promise.all([resolve('localhost'), readFile(import.meta.filename)]), ...waiting]);
  expect(first).toEqual([expect.objectContaining({ family: expect.any(Number) }), expect.any(Buffer)]);
  for (const refusal of await Promise.all(waiting)) expect(refusal).toMatchObject({ name: 'OutboundRefused', kind: 'timeout' });
});

test('every resolved address is checked, without waiting for IPv6', async () => {
  const names: Record<string, string[]> = {
    'shop.example': ['93.184.215.14', '93.184.215.15'],
    'inner.example': ['93.184.215.14', '10.0.0.7'],
  };
  const { address } = await startNameServer((name) => names[name] ?? []);
  // Longer than a test may take.
  const lookup = createLookup({ servers: [address], timeout: 600_000 });
  expect(await lookup('shop.example', false)).toEqual([
    { address: '93.184.215.14', family: 4 },
    { address: '93.184.215.15', family: 4 },
  ]);
  await expect(outbound({ lookup }).request('http://inner.example/')).rejects.toMatchObject({ kind: 'address' });
});

test('an allowed host is resolved by the system, including /etc/hosts', async () => {
  const { address, asked } = await startNameServer(() => ['93.184.215.14']);
  const { port } = await serve((_, response) => response.end('here'));
  const client = outbound({ lookup: createLookup({ servers: [address] }), allowHosts: [`localhost:${port}`] });
  expect((await client.request(`http://localhost:${port}/`)).body.toString()).toBe('here');
  expect(asked).toEqual([]);
});

test('listed names with a silent name server leave threads for others, and names of users do not wait for them', async () => {
  let waiting = 0;
  const { promise: silence, resolve: answer } = Promise.withResolvers<LookupAddress[]>();
  const { address } = await startNameServer(() => ['93.184.215.14']);
  const lookup = createLookup({
    servers: [address],
    system: () => {
      waiting += 1;
      return silence;
    },
  });
  const listed = Array.from({ length: 20 }, (_, at) => lookup(`inner-${at}.example`, true));
  const again = lookup('inner-0.example', true);
  expect(await lookup('shop.example', false)).toHaveLength(1);
  expect(waiting).toBe(4);
  answer([{ address: '10.0.0.1', family: 4 }]);
  await Promise.all([...listed, again]);
  expect(waiting).toBe(20);
});

test('connections of a process to one host share a lookup, and report its failure', async () => {
  const { lookup } = dns;
  const callbacks: ((error: Error | null, addresses?: LookupAddress[]) => void)[] = [];
  dns.lookup = ((_: string, __: object, callback: (typeof callbacks)[0]) =>
    void callbacks.push(callback)) as unknown as typeof lookup;
  try {
    shareLookups();
    const connections = Array.from({ length: 20 }, () => connect({ host: 'db.example', port: 1 }));
    const errors = Promise.all(connections.map(async (socket) => (await once(socket, 'error'))[0].code));
    await until(() => callbacks.length > 0);
    expect(callbacks).toHaveLength(1);
    callbacks[0]!(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }));
    expect(new Set(await errors)).toEqual(new Set(['ENOTFOUND']));
    const next = connect({ host: 'db.example', port: 1 });
    expect(callbacks).toHaveLength(2);
    next.destroy();
  } finally {
    dns.lookup = lookup;
  }
});

test('an unknown name is unreachable', async () => {
  const client = outbound({ lookup: createLookup({ servers: ['127.0.0.1:1'] }) });
  await expect(client.request('http://nobody.example/')).rejects.toMatchObject({ kind: 'unreachable' });
});

test('requests of one owner to an origin wait for a slot, those of another do not', async () => {
  const open = new Set<() => void>();
  const { url, host } = await serve((_, response) => void open.add(() => response.end('done')));
  const client = outbound({ allowHosts: [host], timeoutMs: 5_000 });
  const many = Array.from({ length: 40 }, () => client.ownedBy('one').request(url));
  await until(() => open.size >= 32);
  const other = client.ownedBy('another').request(url);
  await until(() => open.size >= 33);
  const leaving = new AbortController();
  const gone = client.ownedBy('one').request(url, { signal: leaving.signal });
  leaving.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  const answering = setInterval(() => {
    for (const answer of open) answer();
  }, 10);
  expect((await other).status).toBe(200);
  expect((await Promise.all(many)).map(({ status }) => status)).toEqual(Array(40).fill(200));
  clearInterval(answering);
});
