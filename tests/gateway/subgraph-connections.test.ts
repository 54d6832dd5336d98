import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import { headerLines } from '../../gateway/sources/http1/headers.ts';
import { HttpPool } from '../../gateway/sources/http1/pool.ts';
import { selfSigned } from '../outbound/certificate.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** Handles each complete request. */
type Answer = (socket: Socket, body: string, at: number) => void;

/** A server that reads whole requests, and counts its connections. */
async function serve(answer: Answer, createServer: (handle: (socket: Socket) => void) => Server = createTcpServer) {
  const sockets = new Set<Socket>();
  const heads: string[] = [];
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        const head = text.slice(0, end + 2);
        const next = end + 4 + Number(/\r\ncontent-length: (\d+)\r\n$/.exec(head)?.[1]);
        if (end === -1 || text.length < next) return;
        const body = text.slice(end + 4, next);
        text = text.slice(next);
        heads.push(head);
        answer(socket, Buffer.from(body, 'latin1').toString(), heads.length - 1);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port, heads, sockets, connections: () => connections };
}

function poolOf(port: number, options: Partial<ConstructorParameters<typeof HttpPool>[1]> = {}) {
  const pool = new HttpPool(new URL(`http://127.0.0.1:${port}`), { timeoutMs: 2_000, connections: 4, ...options });
  stack.defer(() => pool.close());
  return (body: string, signal?: AbortSignal, headers: Record<string, string> = {}) =>
    pool.request(`POST /graphql HTTP/1.1\r\nhost: x\r\n${headerLines(headers)}`, body, signal);
}

const plain = (text: string, headers = '') =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a response', () => {
  const body = fc.string({ unit: 'grapheme', maxLength: 60 });
  const interim = fc.constantFrom('', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
  const more = fc.constantFrom(
    '',
    'date: now\r\n',
    'X-Empty:\r\n',
    'keep-alive: timeout=5, max=9\r\n',
    'Cache-Control: max-age=3\r\n',
  );
  const chunked = (text: string, sizes: readonly number[], trailer: string) => {
    const bytes = Buffer.from(text);
    const parts: Buffer[] = [];
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const part = bytes.subarray(at, at + sizes[turn % sizes.length]!);
      parts.push(Buffer.from(`${part.length.toString(16)}${turn % 2 ? ';note="1"' : ''}\r\n`), part, Buffer.from('\r\n'));
      at += part.length;
    }
    return Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
      ...parts,
      Buffer.from(`0\r\n${trailer}\r\n`),
    ]);
  };

  test('arrives whole in any framing and in any pieces, over one connection', async () => {
    let next: Buffer[] = [];
    const server = await serve(async (socket) => {
      socket.setNoDelay(true);
      for (const piece of next) {
        socket.write(piece);
        await new Promise(setImmediate);
      }
    });
    const send = poolOf(server.port);
    const framed = fc.oneof(
      fc.tuple(body, more, interim).map(([text, headers, before]) => ({ text, bytes: Buffer.from(before + plain(text, headers)) })),
      fc
        .tuple(
          body,
          fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
          fc.constantFrom('', 'a: b\r\nc: d\r\n'),
        )
        .map(([text, sizes, trailer]) => ({ text, bytes: chunked(text, sizes, trailer) })),
    );
    const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(framed, pieces, async ({ text, bytes }, sizes) => {
        next = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          next.push(bytes.subarray(at, at + sizes[turn % sizes.length]!));
          at += sizes[turn % sizes.length]!;
        }
        expect(await send('{}')).toMatchObject({ status: 200, text });
      }),
      { numRuns: 200 },
    );
    expect(server.connections()).toBe(1);
  });

  test.each([
    ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['two different lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} '],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['a list of lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\n{}'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\n{}'],
    ['a folded line', 'HTTP/1.1 200 OK\r\nx: a\r\n content-length: 2\r\n\r\n{}'],
    ['a line without a colon', 'HTTP/1.1 200 OK\r\nno colon\r\ncontent-length: 2\r\n\r\n{}'],
    ['a length after a vertical tab', 'HTTP/1.1 200 OK\r\ncontent-length: \x0b2\r\n\r\n{}'],
    ['a bare line feed', 'HTTP/1.1 200 OK\r\nx: a\ncontent-length: 2\r\n\r\n{}'],
    ['a compressed transfer', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['a chunk size that is no number', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['a chunk longer than its size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
    ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}`],
    ['a body beyond the limit', `HTTP/1.1 200 OK\r\ncontent-length: ${2 ** 40}\r\n\r\n`],
  ])('with %s fails, and its connection is not used again', async (_, bytes) => {
    const server = await serve((socket, __, at) => socket.write(at === 0 ? bytes : plain('next')));
    const send = poolOf(server.port);
    await expect(send('{}')).rejects.toThrow();
    expect(await send('{}')).toMatchObject({ text: 'next' });
    expect(server.connections()).toBe(2);
  });

  test('that ends with its connection is complete, and one that is cut off fails', async () => {
    const server = await serve((socket, __, at) =>
      socket.end(at === 0 ? 'HTTP/1.1 200 OK\r\n\r\n{"a":1}' : 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"a":1}'),
    );
    const send = poolOf(server.port);
    expect(await send('{}')).toMatchObject({ text: '{"a":1}' });
    await expect(send('{}')).rejects.toThrow('closed the connection');
  });

  test('is never taken for the answer of the next request', async () => {
    const server = await serve((socket, __, at) => socket.write(at === 0 ? plain('mine') + plain('forged') : plain('next')));
    const send = poolOf(server.port);
    expect(await send('{}')).toMatchObject({ text: 'mine' });
    expect(await send('{}')).toMatchObject({ text: 'next' });
  });

  test.each(['204 No Content', '304 Not Modified'])('%s closes its connection, because a body may follow', async (status) => {
    const server = await serve((socket, __, at) => {
      if (at > 0) return void socket.write(plain('next'));
      socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 30\r\n\r\n`);
      setTimeout(() => socket.write(plain('forged')), 10);
    });
    const send = poolOf(server.port);
    expect(await send('{}')).toMatchObject({ text: '' });
    expect(await send('{}')).toMatchObject({ text: 'next' });
  });

  test('that waits in the socket before a request is not taken for its answer', async () => {
    const server = await serve((socket, body) => socket.write(plain(body)));
    const send = poolOf(server.port);
    await send('first');
    await wait(20);
    await new Promise<void>((resolve) => [...server.sockets][0]!.write(plain('forged'), () => resolve()));
    expect(await send('second')).toMatchObject({ text: 'second' });
  });

  test('of many small chunks arrives', async () => {
    const text = 'ab'.repeat(50_000);
    const chunks = text.replaceAll('a', '1\r\na\r\n').replaceAll('b', '1\r\nb\r\n');
    const server = await serve((socket) => socket.write(`HTTP/1.1 200\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`));
    expect((await poolOf(server.port)('{}')).text).toBe(text);
  });

  test('that arrives without a request closes the connection', async () => {
    const server = await serve((socket, __, at) => {
      socket.write(plain(at === 0 ? 'first' : 'second'));
      if (at === 0) setTimeout(() => socket.write(plain('forged')), 20);
    });
    const send = poolOf(server.port);
    expect(await send('{}')).toMatchObject({ text: 'first' });
    await wait(60);
    expect(await send('{}')).toMatchObject({ text: 'second' });
    expect(server.connections()).toBe(2);
  });
});

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
    // The first request finds the end of its connection at the next poll of the sockets.
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

describe('a request', () => {
  test('fails at its time limit, on a connection and in the queue', async () => {
    const server = await serve(() => {});
    const send = poolOf(server.port, { connections: 1, timeoutMs: 200 });
    const started = performance.now();
    const settled = await Promise.allSettled(['a', 'b'].map((body) => send(body)));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  test('fails at its time limit when its response trickles', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(poolOf(server.port, { timeoutMs: 300 })('{}')).rejects.toThrow('too long');
  });

  test('of a caller that disconnects ends, and frees its connection for the next', async () => {
    const server = await serve((socket, body) => body === 'next' && socket.write(plain('done')));
    const send = poolOf(server.port, { connections: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const pending = [send('a', first.signal), send('b', second.signal), send('next')];
    await wait(50);
    second.abort();
    first.abort();
    const settled = await Promise.allSettled(pending);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await wait(20);
    expect(server.sockets.size).toBe(1);
  });

  test('of a caller that disconnects while it waits is never sent', async () => {
    const bodies: string[] = [];
    const server = await serve((socket, body) => {
      bodies.push(body);
      setTimeout(() => socket.write(plain(body)), 50);
    });
    const send = poolOf(server.port, { connections: 1 });
    const waiting = new AbortController();
    const pending = [send('a'), send('b', waiting.signal), send('c', AbortSignal.abort())];
    waiting.abort();
    const settled = await Promise.allSettled(pending);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(bodies).toEqual(['a']);
  });

  test('of a caller that disconnects while its connection is replaced is never sent', async () => {
    const bodies: string[] = [];
    const server = await serve((socket, body) => {
      bodies.push(body);
      socket.write(plain(body));
    });
    const send = poolOf(server.port);
    await send('first');
    await wait(20);
    const caller = new AbortController();
    for (const socket of server.sockets) socket.destroy();
    const pending = send('second', caller.signal);
    caller.abort();
    await expect(pending).rejects.toThrow('disconnected');
    await wait(50);
    expect(bodies).toEqual(['first']);
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

  test('that is still running completes while the pool closes; later ones fail', async () => {
    const server = await serve((socket) => setTimeout(() => socket.write(plain('late')), 100));
    const pool = new HttpPool(new URL(`http://127.0.0.1:${server.port}`), { timeoutMs: 2_000, connections: 1 });
    const running = pool.request('POST / HTTP/1.1\r\n', 'a');
    const closed = pool.close();
    await expect(pool.request('POST / HTTP/1.1\r\n', 'b')).rejects.toThrow('closed');
    expect(await running).toMatchObject({ text: 'late' });
    await closed;
    await wait(20);
    expect(server.sockets.size).toBe(0);
  });
});

test('HTTPS checks the certificate of the server', async () => {
  const server = await serve(
    (socket) => socket.write(plain('secure')),
    (handle) => createTlsServer(selfSigned, handle),
  );
  const pool = new HttpPool(new URL(`https://127.0.0.1:${server.port}`), { timeoutMs: 2_000, connections: 1 });
  stack.defer(() => pool.close());
  const send = () => pool.request('POST / HTTP/1.1\r\n', '{}');
  await expect(send()).rejects.toThrow('self-signed certificate');
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, selfSigned.cert]);
  stack.defer(() => setDefaultCACertificates(trusted));
  for (let times = 0; times < 3; times += 1) expect(await send()).toMatchObject({ text: 'secure' });
  expect(server.heads).toHaveLength(3);
});
