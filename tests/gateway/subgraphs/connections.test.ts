import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { HttpPool } from '../../../gateway/sources/http1/http-pool.ts';
import { selfSigned } from '../../outbound/certificate.ts';
import { plain, poolOf, serve, stack, wait } from '../support/http1-server.ts';

describe('a connection', () => {
  test.each([
    ['when the server says nothing of its end', '', 1],
    ['unless the server closes it', 'connection: close\r\n', 2],
    ['unless the server keeps it for a second only', 'keep-alive: timeout=1\r\n', 2],
  ])('is used again %s', async (_, headers, expected) => {
    const server = await serve((socket) => socket.write(plain('{}', headers)));
    const send = poolOf(server.port);
    for (let times = 0; times < 2; times += 1) await send('{}');
    expect(server.connections()).toBe(expected);
  });

  test('serves one request at a time, and further requests wait in their order', async () => {
    const order: string[] = [];
    const server = await serve(async (socket, body) => {
      order.push(body);
      await wait(30);
      socket.write(plain(body));
    });
    const send = poolOf(server.port, { connections: 2 });
    const bodies = ['a', 'b', 'c', 'd', 'e'];
    const received = await Promise.all(bodies.map((body) => send(body)));
    expect(received.map(({ text }) => text)).toEqual(bodies);
    expect(order).toEqual(bodies);
    expect(server.connections()).toBe(2);
  });

  test('that the server closes after each response fails no waiting request', async () => {
    const server = await serve((socket, body) => socket.end(plain(body)));
    const send = poolOf(server.port, { connections: 3 });
    const bodies = Array.from({ length: 100 }, (_, at) => String(at));
    expect((await Promise.all(bodies.map((body) => send(body)))).map(({ text }) => text)).toEqual(bodies);
  });

  test('that ends before its request was sent does not move the request behind those that wait', async () => {
    const order: string[] = [];
    const server = await serve(async (socket, body) => {
      order.push(body);
      await wait(body === 'warm' ? 0 : 30);
      socket.write(plain(body));
    });
    const send = poolOf(server.port, { connections: 1 });
    await send('warm');
    await wait(20);
    // The first request notices at the next poll of the sockets that its connection has ended.
    for (const socket of server.sockets) socket.destroy();
    const pending = ['a', 'b', 'c'].map((body) => send(body));
    await Promise.all(pending);
    expect(order).toEqual(['warm', 'a', 'b', 'c']);
    expect(server.connections()).toBe(2);
  });

  test('that breaks fails only its own request', async () => {
    const server = await serve((socket, body) =>
      body === 'break' ? socket.destroy() : setTimeout(() => socket.write(plain(body)), 50),
    );
    const send = poolOf(server.port, { connections: 2 });
    const settled = await Promise.allSettled(['break', 'b', 'c', 'break', 'e'].map((body) => send(body)));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  test('that cannot be opened fails all waiting requests', async () => {
    const send = poolOf(1, { connections: 1 });
    const settled = await Promise.allSettled(['a', 'b', 'c'].map((body) => send(body)));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});

test('HTTPS checks the certificate of the server', async () => {
  const server = await serve(
    (socket) => socket.write(plain('secure')),
    (handle) => createTlsServer(selfSigned, handle),
  );
  const pool = new HttpPool(new URL(`https://127.0.0.1:${server.port}`), { timeoutMs: 100_000, connections: 1 });
  stack.defer(() => pool.close());
  const send = () => pool.request('POST / HTTP/1.1\r\n', '{}');
  await expect(send()).rejects.toThrow('self-signed certificate');
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, selfSigned.cert]);
  stack.defer(() => setDefaultCACertificates(trusted));
  for (let times = 0; times < 3; times += 1) expect(await send()).toMatchObject({ text: 'secure' });
  expect(server.heads).toHaveLength(3);
});
