import net from 'node:net';
import { expect, jest, test } from '@jest/globals';
import { buildConnector } from 'undici';
import type { Lookup } from '../../platform/outbound/guard.ts';
import { checkUrl, guardedConnector, isPublic, specialPurpose } from '../../platform/outbound/guard.ts';
import { serve } from '../support/http-server.ts';
import { outbound } from './client.ts';

const answering = (...addresses: string[]) =>
  jest.fn<Lookup>(async () => addresses.map((address) => ({ address, family: net.isIP(address) })));

test.each(specialPurpose)('%s (%s) is not public', (block) => {
  const network = block.split('/')[0]!;
  expect(isPublic(network)).toBe(false);
});

test.each([
  '10.255.255.255',
  '100.127.255.254',
  '172.31.0.1',
  '169.254.169.254',
  '198.19.255.255',
  '239.1.1.1',
  '::7f00:1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b:1:2::1',
  '2002:7f00:1::',
  '2001:0:1::1',
  '2001:db8:1::1',
  '3fff:fff::1',
  '5f00:1::1',
  '100::1',
  '100:0:0:1::5',
  'fd00:ec2::254',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '4000::1',
  'nonsense',
  '',
])('%s is not public', (address) => {
  expect(isPublic(address)).toBe(false);
});

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '192.0.1.1',
  '198.20.0.1',
  '223.255.255.254',
  '2606:4700::1111',
  '2a00:1450:4001::1',
])('%s is public', (address) => expect(isPublic(address)).toBe(true));

const refusedUrls: [url: string, kind: string][] = [
  ['ftp://shop.example/', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['gopher://shop.example/', 'scheme'],
  ['http://ada:secret@shop.example/', 'credentials'],
  ['http://@shop.example/', 'credentials'],
  ['shop.example', 'request'],
  ['http:shop.example', 'request'],
  ['http:\\\\shop.example', 'request'],
  ['http://256.1.1.1/', 'request'],
  ['http://[fe80::1%25eth0]/', 'request'],
  ['http://0x7f.1/', 'address'],
  ['http://2130706433/', 'address'],
  ['http://0177.0.0.1/', 'address'],
  ['http://127.1/', 'address'],
  ['http://0/', 'address'],
  ['http://127.0.0.1./', 'address'],
  ['http://%31%32%37.0.0.1/', 'address'],
  ['http://１２７.０.０.１/', 'address'],
  ['http://127。0。0。1/', 'address'],
  ['http://ⓛocalhost/', 'address'],
  ['http://0x8.8.8.8/', 'address'],
  ['http://localhost/', 'address'],
  ['http://shop.localhost/', 'address'],
  ['http://metadata.google.internal/', 'address'],
  ['http://printer.local/', 'address'],
  ['http://metadata.amazonaws.com/', 'address'],
  ['http://METADATA.tencentyun.com/', 'address'],
  ['http://METADATA.google.internal./', 'address'],
  ['http://kubernetes.default.svc/', 'address'],
  ['http://api.shop.svc.cluster.local/', 'address'],
  ['http://db.service.consul/', 'address'],
  ['http://printer.home.arpa/', 'address'],
  ['http://1.0.0.127.in-addr.arpa/', 'address'],
  ['http://shop.test/', 'address'],
  ['http://shop.onion/', 'address'],
  ['http://printer.LAN/', 'address'],
  ['http://büro.internal/', 'address'],
  ['http://shop.ｉｎｔｅｒｎａｌ/', 'address'],
  ['http://shop.inter\u00adnal/', 'address'],
  ['http://intranet/', 'address'],
  ['http://shop.example./', 'address'],
  ['http://127.0.0.1/', 'address'],
  ['http://169.254.169.254/latest/meta-data/', 'address'],
  ['http://[::1]/', 'address'],
  ['http://[::ffff:127.0.0.1]/', 'address'],
  ['http://[fd00::1]:8080/', 'address'],
];

test.each(refusedUrls)('%s is rejected before DNS resolution', async (url, kind) => {
  const lookup = answering('93.184.215.14');
  await expect(outbound({ lookup }).request(url)).rejects.toMatchObject({ name: 'OutboundRefused', kind });
  await expect(checkUrl(url, { lookup })).rejects.toMatchObject({ kind });
  expect(lookup).not.toHaveBeenCalled();
});

test.each([['10.0.0.7'], ['::ffff:10.0.0.7'], ['fd00::7'], ['93.184.215.14', '127.0.0.1']])(
  'a name that leads to %s is refused without a connection',
  async (...addresses) => {
    const lookup = answering(...addresses);
    const refusal = await outbound({ lookup })
      .request('http://shop.example/')
      .catch((error) => error);
    expect(refusal).toMatchObject({ kind: 'address', message: 'The address is not on the public internet.' });
    expect(lookup).toHaveBeenCalledTimes(1);
  },
);

test('a name that was public at the check is rejected when it resolves to a private address', async () => {
  const lookup = answering('127.0.0.1');
  lookup.mockResolvedValueOnce([{ address: '93.184.215.14', family: 4 }]);
  await expect(checkUrl('https://shop.example/hook', { lookup })).resolves.toBeInstanceOf(URL);
  await expect(outbound({ lookup }).request('https://shop.example/hook')).rejects.toMatchObject({ kind: 'address' });
});

test('a name is resolved once, and the connection uses that address', async () => {
  const { port } = await serve((_, response) => response.end('here'));
  const lookup = answering('192.0.2.1');
  lookup.mockResolvedValueOnce([{ address: '127.0.0.1', family: 4 }]);
  const { body } = await outbound({ lookup, allowHosts: [`shop.example:${port}`] }).request(`http://shop.example:${port}/`);
  expect(body.toString()).toBe('here');
  expect(lookup).toHaveBeenCalledTimes(1);
});

test('a socket to a private address is closed, regardless of the DNS result', async () => {
  const asked = jest.fn();
  const { port } = await serve(asked);
  const connect = guardedConnector({
    lookup: answering('93.184.215.14'),
    allowHosts: [],
    open: () => (options, callback) => buildConnector({})({ ...options, hostname: '127.0.0.1' }, callback),
  });
  const host = `93.184.215.14:${port}`;
  const error = await new Promise((done) =>
    connect({ hostname: '93.184.215.14', host, protocol: 'http:', port: String(port) }, (...[refusal]) => done(refusal)),
  );
  expect(error).toMatchObject({ kind: 'address' });
  expect(asked).not.toHaveBeenCalled();
});

test('an operator trusts a host on one port only, if the entry says so', async () => {
  await expect(checkUrl('http://127.0.0.1:9000/', { allowHosts: ['127.0.0.1:9000'] })).resolves.toBeInstanceOf(URL);
  await expect(checkUrl('http://127.0.0.1:9001/', { allowHosts: ['127.0.0.1:9000'] })).rejects.toMatchObject({ kind: 'address' });
  await expect(checkUrl('http://localhost:9001/', { allowHosts: ['localhost'] })).resolves.toBeInstanceOf(URL);
  await expect(checkUrl('http://[::1]:9001/', { allowHosts: ['::1'] })).resolves.toBeInstanceOf(URL);
});

test('a check can require https', async () => {
  const lookup = answering('93.184.215.14');
  await expect(checkUrl('http://shop.example/', { schemes: ['https'], lookup })).rejects.toMatchObject({
    kind: 'scheme',
    message: 'The address must start with https://.',
  });
});

test('an internationalized name in Unicode is accepted', async () => {
  const url = await checkUrl('https://bücher.example/', { lookup: answering('93.184.215.14') });
  expect(url.hostname).toBe('xn--bcher-kva.example');
});

test('an unresolvable name is accepted on input', async () => {
  const lookup = jest.fn<Lookup>(async () => Promise.reject(new Error('ENOTFOUND')));
  await expect(checkUrl('https://soon.example/', { lookup })).resolves.toBeInstanceOf(URL);
});
