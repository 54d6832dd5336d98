import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { CloseCode } from 'graphql-ws';
import { WebSocket } from 'ws';
import { until } from '../../support/until.ts';
import { endpoint } from './endpoint.ts';
import { address, all, clientOf, flooded, key, raw } from './websocket-client.ts';

test('only the path of the WebSocket endpoint accepts an upgrade; other requests are answered without one', async () => {
  await using graph = await endpoint({}, {}, (app) => {
    app.get('/other', async () => ({ plain: true }));
  });
  const statusOf = (path: string) =>
    new Promise<number | undefined>((done) => {
      const socket = new WebSocket(`${graph.url.replace('http', 'ws')}${path}`, 'graphql-transport-ws');
      socket.once('unexpected-response', (_, { statusCode }) => done(statusCode)).once('open', () => done(101));
      socket.on('error', () => {});
    });
  expect(await Promise.all(['/', '/graphql/x', '/other'].map(statusOf))).toEqual([404, 404, 200]);
  expect(await statusOf('/graphql?x=1')).toBe(101);
  // As `curl --http2` sends it.
  const upgrade = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'content-type': 'application/json', ...key };
  const sent = request(`${graph.url}/graphql`, { method: 'POST', headers: upgrade }).end('{"query":"{ hello }"}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  response.resume();
});

test('a message that names a key twice closes the connection', async () => {
  await using graph = await endpoint();
  const { socket, closed } = await raw(graph);
  socket.send('{"type":"connection_init","type":"ping"}');
  expect(await closed).toEqual({ code: CloseCode.BadRequest, reason: 'A message names a key twice' });
});

test('queries, mutations and subscriptions run over one connection', async () => {
  await using graph = await endpoint();
  const client = clientOf(graph, { 'X-API-Key': 'good', 'X-Organization': 'acme' });
  expect(await all(client, '{ hello }')).toEqual([{ data: { hello: 'hello world' } }]);
  expect(await all(client, 'mutation { note(text: "a") }')).toEqual([{ data: { note: 'a' } }]);
  expect(await all(client, 'subscription { ticks(upTo: 3) }')).toEqual([1, 2, 3].map((tick) => ({ data: { ticks: `${tick}` } })));

  const [{ data }] = (await all(client, '{ seen }')) as [{ data: { seen: string } }];
  expect(JSON.parse(data.seen)).toEqual({ 'x-api-key': 'good', 'x-organization': 'acme', 'x-client-address': '127.0.0.1' });
  await client.dispose();
});

test.each([
  [{ 'x-api-key': '!' }, 4401, 'Invalid API Key'],
  [{ Authorization: 'Bearer nobody' }, 4401, 'Invalid API Key'],
  [{ 'x-api-key': 'empty' }, 1013, 'Rate limit exceeded'],
  [{ 'x-api-key': 'boom' }, 4500, 'Internal Server Error'],
])('a connection with %j is closed with %i', async (connectionParams, code, reason) => {
  await using graph = await endpoint();
  await expect(all(clientOf(graph, connectionParams), '{ hello }')).rejects.toMatchObject({ code, reason });
});

test('an operation runs without a key, or with a key that it carries itself', async () => {
  await using graph = await endpoint();
  const client = clientOf(graph);
  const keyOf = async (extensions = {}) =>
    JSON.parse(((await all(client, '{ seen }', { extensions })) as [{ data: { seen: string } }])[0].data.seen)['x-api-key'];
  expect([await keyOf(), await keyOf({ headers: key })]).toEqual([undefined, 'good']);
  await expect(all(client, '{ hello }', { extensions: { headers: { 'x-api-key': '!' } } })).rejects.toMatchObject([
    { message: 'Invalid API Key', extensions: { code: 'INVALID_KEY' } },
  ]);
});

test.each(['a\r\nb', 'a\u0000', '\u65e5\u672c'])(
  'a header with %j, which HTTP cannot carry to a subgraph, is refused',
  async (value) => {
    await using graph = await endpoint({ forward: ['x-tenant'] });
    const reason = 'x-tenant has characters that no HTTP header has';
    const refused = all(clientOf(graph, { ...key, 'X-Tenant': value }), '{ hello }');
    await expect(refused).rejects.toMatchObject({ code: 4400, reason });
    const client = clientOf(graph, { ...key, 'x-tenant': 'Z\u00fcrich\n' });
    await expect(all(client, '{ hello }', { extensions: { headers: { 'x-tenant': value } } })).rejects.toMatchObject([
      { message: reason, extensions: { code: 'INVALID_INPUT' } },
    ]);
    expect(JSON.stringify(await all(client, '{ seen }'))).toContain('Z\u00fcrich');
  },
);

test('rejections are errors of their operation, and the connection stays open', async () => {
  await using graph = await endpoint();
  const client = clientOf(graph, key);
  const aliases = Array.from({ length: 10_000 }, (_, n) => `a${n}: hello`).join(' ');
  for (const [query, code] of [
    ['{', 'GRAPHQL_PARSE_FAILED'],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    [`{ ${aliases} }`, 'GRAPHQL_PARSE_FAILED'],
    [
      '{ me { friend { friend { friend { friend { friend { friend { friend { friend { friend { friend { friend { friend { friend { friend { id } } } } } } } } } } } } } } } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
  ] as const) {
    await expect(all(client, query)).rejects.toMatchObject([{ extensions: { code } }]);
  }
  expect(await all(client, '{ refused broken }')).toMatchObject([
    {
      errors: expect.arrayContaining([
        expect.objectContaining({ message: 'Product not found' }),
        expect.objectContaining({ message: 'Internal Server Error' }),
      ]),
    },
  ]);
  expect(JSON.stringify(await all(client, 'subscription { broken }'))).not.toContain('secret');
  expect(await all(client, '{ hello }')).toHaveLength(1);
});

test('the source of a subscription ends when the client completes it or disconnects', async () => {
  await using graph = await endpoint();
  const client = await raw(graph);
  await client.hello();
  for (const id of ['1', '2']) client.say({ type: 'subscribe', id, payload: { query: 'subscription { ticks }' } });
  await until(() => graph.seen.streams === 2);
  client.say({ type: 'complete', id: '1' });
  await until(() => graph.seen.streams === 1);
  client.socket.terminate();
  await until(() => graph.seen.streams === 0);
  expect(graph.seen.contexts.every(({ signal }) => signal!.aborted)).toBe(true);
});

test('an operation times out, but a stream does not', async () => {
  await using graph = await endpoint({ timeout: 50 });
  const client = clientOf(graph, key);
  expect(await all(client, '{ slow(ms: 500) }')).toMatchObject([{ errors: [{ extensions: { code: 'UNAVAILABLE' } }] }]);
  expect(await all(client, 'subscription { ticks(upTo: 4, every: 40) }')).toHaveLength(4);
});

test('a client that does not read is disconnected, and its stream ends', async () => {
  await using graph = await endpoint({ socketLimits: { maxBuffered: 200_000 } });
  const client = await flooded(graph);
  expect(graph.seen.sent).toBeLessThan(500);
  client.socket.resume();
  await client.closed;
});

test('a slow client that continues to read gets the reason', async () => {
  await using graph = await endpoint({ socketLimits: { maxBuffered: 100_000 } });
  const client = await flooded(graph);
  client.socket.resume();
  expect(await client.closed).toEqual({ code: 1013, reason: 'Events are not read fast enough' });
});

test('a client that does not answer pings is disconnected', async () => {
  await using graph = await endpoint({ socketLimits: { keepAlive: 50 } });
  const client = await raw(graph);
  await client.hello();
  await setTimeout(200);
  expect(client.socket.readyState).toBe(client.socket.OPEN);
  client.socket.pause();
  const { promise, resolve } = Promise.withResolvers<void>();
  client.say({ type: 'subscribe', id: '1', payload: { query: 'subscription { ticks(every: 100) }' } });
  await until(() => graph.seen.streams === 1);
  await until(() => graph.seen.streams === 0);
  resolve();
  await promise;
  client.socket.terminate();
});

test.each<[string, (client: Awaited<ReturnType<typeof raw>>) => void, number]>([
  ['something that is no JSON', ({ socket }) => socket.send('{'), CloseCode.BadRequest],
  ['an unknown message', ({ say }) => say({ type: 'start' }), CloseCode.BadRequest],
  [
    'an operation before it is let in',
    ({ say }) => say({ type: 'subscribe', id: '1', payload: { query: '{ hello }' } }),
    CloseCode.Unauthorized,
  ],
  ['2 MB', ({ socket }) => socket.send('x'.repeat(2_000_000)), 1009],
])('%s closes the connection', async (_, speak, code) => {
  await using graph = await endpoint();
  const client = await raw(graph);
  speak(client);
  expect(await client.closed).toMatchObject({ code });
});

test('a client of another protocol is rejected', async () => {
  await using graph = await endpoint();
  const client = new WebSocket(address(graph), 'graphql-ws');
  await expect(new Promise((_, reject) => client.once('error', reject))).rejects.toThrow();
  const silent = new WebSocket(address(graph));
  const code = await new Promise((done) => silent.once('close', done));
  expect(code).toBe(CloseCode.SubprotocolNotAcceptable);
});

test('on shutdown the server finishes queries and closes sockets with 1001', async () => {
  const graph = await endpoint();
  const client = await raw(graph);
  const idle = await raw(graph);
  await client.hello();
  client.say({ type: 'subscribe', id: '1', payload: { query: '{ slow(ms: 200) }' } });
  client.say({ type: 'subscribe', id: '2', payload: { query: 'subscription { ticks(every: 20) }' } });
  await until(() => graph.seen.contexts.length === 2 && graph.seen.streams === 1);
  const closing = graph.app.close();
  expect(await idle.closed).toEqual({ code: 1001, reason: 'Going away' });
  client.say({ type: 'subscribe', id: '3', payload: { query: '{ hello }' } });
  expect(await client.closed).toEqual({ code: 1001, reason: 'Going away' });
  await closing;
  expect(client.messages).toContainEqual({ type: 'next', id: '1', payload: { data: { slow: 'done' } } });
  expect(client.messages).toContainEqual({
    type: 'error',
    id: '3',
    payload: [expect.objectContaining({ extensions: { code: 'UNAVAILABLE' } })],
  });
  // The stream does not complete, so a reconnecting client subscribes again.
  expect(client.messages).not.toContainEqual({ type: 'complete', id: '2' });
  await until(() => graph.seen.streams === 0);
});

test('many subscribers are disconnected within the drain time, including unresponsive ones', async () => {
  const graph = await endpoint({ drainTimeout: 2_000 });
  const clients = await Promise.all(Array.from({ length: 300 }, () => raw(graph)));
  await Promise.all(clients.map((client) => client.hello()));
  for (const client of clients) client.say({ type: 'subscribe', id: '1', payload: { query: 'subscription { ticks(every: 20) }' } });
  await until(() => graph.seen.streams === clients.length);
  const deaf = clients.slice(0, 30);
  for (const { socket } of deaf) socket.pause();
  await graph.app.close();
  for (const { socket } of deaf) socket.resume();
  for (const client of clients.slice(30)) expect(await client.closed).toEqual({ code: 1001, reason: 'Going away' });
  await Promise.all(deaf.map(({ closed }) => closed));
  await until(() => graph.seen.streams === 0);
});
