import fc from 'fast-check';
import { plain, poolOf, serve, wait } from '../support/http1-server.ts';

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

  test('is never read as the response to the next request', async () => {
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

  test('that arrives before a request is not read as the response to it', async () => {
    const server = await serve((socket, body) => socket.write(plain(body)));
    const send = poolOf(server.port);
    await send('first');
    await wait(20);
    await new Promise<void>((resolve) => [...server.sockets][0]!.write(plain('forged'), () => resolve()));
    expect(await send('second')).toMatchObject({ text: 'second' });
  });

  test('in many small chunks arrives completely', async () => {
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
