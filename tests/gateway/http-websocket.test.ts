import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { CloseCode, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Admission, Admit } from '../../schema/request.ts';
import { Lifetime } from '../../server/lifetime.ts';
import { until } from '../support/until.ts';
import type { Endpoint } from './http-endpoint.ts';
import { endpoint } from './http-endpoint.ts';

const key = { 'x-api-key': 'good' };
const address = ({ url }: Endpoint) => `${url.replace('http', 'ws')}/graphql`;

const clientOf = (graph: Endpoint, connectionParams?: Record<string, unknown>) =>
  createClient({ url: address(graph), webSocketImpl: WebSocket, connectionParams, retryAttempts: 0, lazy: true });

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

/** All results of an operation. */
async function all(client: ReturnType<typeof clientOf>, query: string, more = {}) {
  const results = [];
  for await (const result of client.iterate({ query, ...more })) results.push(result);
  return results;
}

/** A client that sends only messages from the test. */
async function raw(graph: Endpoint, protocol = 'graphql-transport-ws') {
  const socket = new WebSocket(address(graph), protocol);
  const messages: { type: string; id?: string; payload?: unknown }[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  socket.on('error', () => {});
  const closed = new Promise<{ code: number; reason: string }>((done) =>
    socket.once('close', (code, reason) => done({ code, reason: String(reason) })),
  );
  await new Promise((done) => socket.once('open', done));
  return {
    socket,
    messages,
    closed,
    say: (message: object) => socket.send(JSON.stringify(message)),
    async hello(payload: object = key) {
      socket.send(JSON.stringify({ type: 'connection_init', payload }));
      await until(() => messages.some(({ type }) => type === 'connection_ack'));
    },
  };
}

/** A client that requests more than it reads, until its stream ends. */
async function flooded(graph: Endpoint) {
  const client = await raw(graph);
  await client.hello();
  client.socket.pause();
  client.say({ type: 'subscribe', id: '1', payload: { query: 'subscription { ticks(every: 0, size: 100000) }' } });
  await until(() => graph.seen.streams === 1);
  await until(() => graph.seen.streams === 0);
  return client;
}

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

test('an operation runs without a key, or with its own', async () => {
  await using graph = await endpoint();
  const client = clientOf(graph);
  const keyOf = async (extensions = {}) =>
    JSON.parse(((await all(client, '{ seen }', { extensions })) as [{ data: { seen: string } }])[0].data.seen)['x-api-key'];
  expect([await keyOf(), await keyOf({ headers: key })]).toEqual([undefined, 'good']);
  await expect(all(client, '{ hello }', { extensions: { headers: { 'x-api-key': '!' } } })).rejects.toMatchObject([
    { message: 'Invalid API Key', extensions: { code: 'INVALID_KEY' } },
  ]);
});

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

test('a subscription ends at the source when it completes or the client disconnects', async () => {
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

test.each([
  ['query', '{ slow(ms: 300) }'],
  ['mutation', 'mutation { slowNote(ms: 300) }'],
  ['subscription', 'subscription { ticks(every: 300) }'],
])('a completed %s is aborted, and its id works for a new operation at once', async (_, query) => {
  await using graph = await endpoint();
  const client = await raw(graph);
  await client.hello();
  client.say({ type: 'subscribe', id: '1', payload: { query } });
  await until(() => graph.seen.contexts.length === 1);
  client.say({ type: 'complete', id: '1' });
  client.say({ type: 'subscribe', id: '1', payload: { query: '{ slow(ms: 600) }' } });
  client.say({ type: 'subscribe', id: '2', payload: { query: '{ hello }' } });
  await until(() => client.messages.some(({ type, id }) => type === 'complete' && id === '2'));
  expect(graph.seen.contexts[0]!.signal!.aborted).toBe(true);
  await until(() => client.messages.some(({ type, id }) => type === 'complete' && id === '1'));
  expect(client.messages.filter(({ id }) => id === '1')).toEqual([
    { id: '1', type: 'next', payload: { data: { slow: 'done' } } },
    { id: '1', type: 'complete' },
  ]);
  client.socket.terminate();
});

test('an operation that the client completes before its admission does not run', async () => {
  const admission = Promise.withResolvers<void>();
  let waiting = 0;
  const slowAdmit: Admit = async ({ signal }) => {
    // The handshake has no signal.
    if (!signal) return {} as Admission;
    waiting++;
    await admission.promise;
    return {} as Admission;
  };
  await using graph = await endpoint({ admit: slowAdmit });
  const client = await raw(graph);
  await client.hello();
  client.say({ type: 'subscribe', id: '1', payload: { query: 'mutation { note(text: "a") }' } });
  client.say({ type: 'complete', id: '1' });
  client.say({ type: 'subscribe', id: '1', payload: { query: '{ hello }' } });
  await until(() => waiting === 2);
  admission.resolve();
  await until(() => client.messages.some(({ type }) => type === 'complete'));
  expect(graph.seen.contexts).toHaveLength(1);
  expect(client.messages.filter(({ id }) => id === '1')).toEqual([
    { id: '1', type: 'next', payload: { data: { hello: 'hello world' } } },
    { id: '1', type: 'complete' },
  ]);
  client.socket.terminate();
});

test('an id that still runs is refused, and a completion of an unknown id has no effect', async () => {
  await using graph = await endpoint();
  const client = await raw(graph);
  await client.hello();
  client.say({ type: 'subscribe', id: 'a', payload: { query: '{ slow(ms: 100) }' } });
  for (const id of ['1', '2', 'b']) client.say({ type: 'complete', id });
  await until(() => client.messages.some(({ type, id }) => type === 'complete' && id === 'a'));
  expect(client.messages).toContainEqual({ id: 'a', type: 'next', payload: { data: { slow: 'done' } } });
  for (const _ of [1, 2]) client.say({ type: 'subscribe', id: 'a', payload: { query: '{ slow(ms: 100) }' } });
  expect(await client.closed).toEqual({ code: CloseCode.SubscriberAlreadyExists, reason: 'Subscriber for a already exists' });
});

test('an operation times out, but a stream does not', async () => {
  await using graph = await endpoint({ timeout: 50 });
  const client = clientOf(graph, key);
  expect(await all(client, '{ slow(ms: 500) }')).toMatchObject([{ errors: [{ extensions: { code: 'UNAVAILABLE' } }] }]);
  expect(await all(client, 'subscription { ticks(upTo: 4, every: 40) }')).toHaveLength(4);
});

test('concurrent operations per connection are limited', async () => {
  await using graph = await endpoint({ maxOperations: 2 });
  const client = await raw(graph);
  await client.hello();
  for (const id of ['1', '2', '3']) client.say({ type: 'subscribe', id, payload: { query: 'subscription { ticks(every: 50) }' } });
  await until(() => client.messages.some(({ type, id }) => type === 'error' && id === '3'));
  client.say({ type: 'complete', id: '1' });
  await until(() => graph.seen.streams === 1);
  client.say({ type: 'subscribe', id: '4', payload: { query: '{ hello }' } });
  await until(() => client.messages.some(({ type, id }) => type === 'next' && id === '4'));
  client.socket.terminate();
});

test('a completed operation counts until it has ended, and only once', async () => {
  await using graph = await endpoint({ maxOperations: 2 });
  const client = await raw(graph);
  await client.hello();
  const run = (id: string, query: string) => client.say({ type: 'subscribe', id, payload: { query } });
  for (let turn = 1; turn <= 10; turn++) {
    run('1', '{ slow(ms: 5000) }');
    await until(() => graph.seen.contexts.length === turn);
    for (const _ of [1, 2]) client.say({ type: 'complete', id: '1' });
    await until(() => graph.seen.contexts[turn - 1]!.signal!.aborted);
  }
  for (const id of ['2', '3', '4']) run(id, 'subscription { ticks(every: 5000) }');
  await until(() => client.messages.length > 1);
  expect(client.messages.slice(1)).toMatchObject([{ type: 'error', id: '4', payload: [{ extensions: { code: 'RATE_LIMITED' } }] }]);
  client.socket.terminate();
});

test('a completed operation whose source ignores it counts until the source has ended', async () => {
  await using graph = await endpoint({ maxOperations: 2 });
  const client = await raw(graph);
  await client.hello();
  const run = (id: string, query: string) => client.say({ type: 'subscribe', id, payload: { query } });
  for (let turn = 1; turn <= 2; turn++) {
    run('1', 'mutation { slowNote(ms: 400) }');
    await until(() => graph.seen.contexts.length === turn);
    client.say({ type: 'complete', id: '1' });
  }
  run('2', '{ hello }');
  await until(() => client.messages.length > 1);
  expect(client.messages.slice(1)).toMatchObject([{ type: 'error', id: '2', payload: [{ extensions: { code: 'RATE_LIMITED' } }] }]);
  await setTimeout(500);
  run('3', '{ hello }');
  await until(() => client.messages.some(({ type, id }) => type === 'complete' && id === '3'));
  client.socket.terminate();
});

test('a subscription that opens after the client has completed it is ended at its source', async () => {
  let [opened, ended] = [0, 0];
  const lifetime = new Lifetime(1_000);
  const opening = setTimeout(50).then(() => (opened += 1));
  const waiting = lifetime.opening(opening, () => (ended += 1));
  lifetime.end();
  await expect(waiting).rejects.toThrow('went away');
  await until(() => opened === 1 && ended === 1);
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

test('a client without pong is disconnected', async () => {
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
