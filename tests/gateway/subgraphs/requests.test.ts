import { headerLines } from '../../../gateway/sources/http1/http-connection.ts';
import { HttpPool } from '../../../gateway/sources/http1/http-pool.ts';
import { until } from '../../support/until.ts';
import { plain, poolOf, serve } from '../support/http1-server.ts';

describe('a request', () => {
  test('fails at its time limit, on a connection and in the queue', async () => {
    const server = await serve(() => {});
    const send = poolOf(server.port, { connections: 1, timeoutMs: 200 });
    const settled = await Promise.allSettled(['a', 'b'].map((body) => send(body)));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('fails at its time limit when its response trickles', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(poolOf(server.port, { timeoutMs: 300 })('{}')).rejects.toThrow('too long');
  });

  test('ends when its caller disconnects, and frees its connection for the next one', async () => {
    const server = await serve((socket, body) => body === 'next' && socket.write(plain('done')));
    const send = poolOf(server.port, { connections: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const pending = [send('a', first.signal), send('b', second.signal), send('next')];
    await until(() => server.heads.length === 1);
    second.abort();
    first.abort();
    const settled = await Promise.allSettled(pending);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await until(() => server.sockets.size === 1);
  });

  test('is never sent if its caller disconnects while it waits', async () => {
    const bodies: string[] = [];
    const server = await serve((socket, body) => {
      bodies.push(body);
      socket.write(plain(body));
    });
    const send = poolOf(server.port, { connections: 1 });
    const waiting = new AbortController();
    const pending = [send('a'), send('b', waiting.signal), send('c', AbortSignal.abort())];
    waiting.abort();
    const settled = await Promise.allSettled(pending);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(bodies).toEqual(['a']);
  });

  test('is never sent if its caller disconnects while its connection is replaced', async () => {
    const bodies: string[] = [];
    const server = await serve((socket, body) => {
      bodies.push(body);
      socket.write(plain(body));
    });
    const send = poolOf(server.port);
    await send('first');
    const caller = new AbortController();
    for (const socket of server.sockets) socket.destroy();
    const pending = send('second', caller.signal);
    caller.abort();
    await expect(pending).rejects.toThrow('disconnected');
    await send('third');
    expect(bodies).toEqual(['first', 'third']);
  });

  test('carries headers of any allowed byte, and refuses those that would begin another request', async () => {
    const server = await serve((socket) => socket.write(plain('{}')));
    const send = poolOf(server.port);
    await send('{"a":"é☃"}', undefined, { 'x-name': 'Zoë', host: 'other', 'Content-Length': '9', 'transfer-encoding': 'chunked' });
    expect(server.heads).toEqual(['POST /graphql HTTP/1.1\r\nhost: x\r\nx-name: Zo\xeb\r\ncontent-length: 13\r\n']);
    for (const [name, value] of [
      ['x', 'a\r\ncontent-length: 0'],
      ['x', 'a\nb'],
      ['x', 'a\0'],
      ['x', '☃'],
      ['a b', 'c'],
      ['a\r\nb', 'c'],
      ['', 'c'],
    ])
      expect(() => headerLines({ [name!]: value })).toThrow('cannot be sent');
  });

  test('completes while the pool closes; later requests fail', async () => {
    const server = await serve((socket) => setTimeout(() => socket.write(plain('late')), 100));
    const pool = new HttpPool(new URL(`http://127.0.0.1:${server.port}`), { timeoutMs: 100_000, connections: 1 });
    const running = pool.request('POST / HTTP/1.1\r\n', 'a');
    const closed = pool.close();
    await expect(pool.request('POST / HTTP/1.1\r\n', 'b')).rejects.toThrow('closed');
    expect(await running).toMatchObject({ text: 'late' });
    await closed;
    await until(() => server.sockets.size === 0);
  });
});
