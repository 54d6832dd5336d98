import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { CloseCode } from 'graphql-ws';
import type { Admission, Admit } from '../../../schema/request.ts';
import { until } from '../../support/until.ts';
import { endpoint } from './endpoint.ts';
import { raw } from './websocket-client.ts';

test.each([
  ['query', '{ slow(ms: 300) }'],
  ['mutation', 'mutation { slowNote(ms: 300) }'],
  ['subscription', 'subscription { ticks(every: 300) }'],
])('a completed %s is aborted, and its id works for a new operation at once', async (_, query) => {
  await using graph = await endpoint();
  const client = await raw(graph);
  await client.hello();
  client.run('1', query);
  await until(() => graph.seen.contexts.length === 1);
  client.say({ type: 'complete', id: '1' });
  client.run('1', '{ slow(ms: 600) }');
  client.run('2', '{ hello }');
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
  client.run('1', 'mutation { note(text: "a") }');
  client.say({ type: 'complete', id: '1' });
  client.run('1', '{ hello }');
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

test('an id whose operation is still running is refused, and a completion of an unknown id has no effect', async () => {
  await using graph = await endpoint();
  const client = await raw(graph);
  await client.hello();
  client.run('a', '{ slow(ms: 100) }');
  for (const id of ['1', '2', 'b']) client.say({ type: 'complete', id });
  await until(() => client.messages.some(({ type, id }) => type === 'complete' && id === 'a'));
  expect(client.messages).toContainEqual({ id: 'a', type: 'next', payload: { data: { slow: 'done' } } });
  for (const _ of [1, 2]) client.run('a', '{ slow(ms: 100) }');
  expect(await client.closed).toEqual({ code: CloseCode.SubscriberAlreadyExists, reason: 'Subscriber for a already exists' });
});

test('concurrent operations per connection are limited', async () => {
  await using graph = await endpoint({ maxOperations: 2 });
  const client = await raw(graph);
  await client.hello();
  for (const id of ['1', '2', '3']) client.run(id, 'subscription { ticks(every: 50) }');
  await until(() => client.messages.some(({ type, id }) => type === 'error' && id === '3'));
  client.say({ type: 'complete', id: '1' });
  await until(() => graph.seen.streams === 1);
  client.run('4', '{ hello }');
  await until(() => client.messages.some(({ type, id }) => type === 'next' && id === '4'));
  client.socket.terminate();
});

test('a completed operation counts until it has ended, and only once', async () => {
  await using graph = await endpoint({ maxOperations: 2 });
  const client = await raw(graph);
  await client.hello();
  for (let turn = 1; turn <= 10; turn++) {
    client.run('1', '{ slow(ms: 5000) }');
    await until(() => graph.seen.contexts.length === turn);
    for (const _ of [1, 2]) client.say({ type: 'complete', id: '1' });
    await until(() => graph.seen.contexts[turn - 1]!.signal!.aborted);
  }
  for (const id of ['2', '3', '4']) client.run(id, 'subscription { ticks(every: 5000) }');
  await until(() => client.messages.length > 1);
  expect(client.messages.slice(1)).toMatchObject([{ type: 'error', id: '4', payload: [{ extensions: { code: 'RATE_LIMITED' } }] }]);
  client.socket.terminate();
});

test('a completed operation whose source ignores it counts until the source has ended', async () => {
  await using graph = await endpoint({ maxOperations: 2 });
  const client = await raw(graph);
  await client.hello();
  for (let turn = 1; turn <= 2; turn++) {
    client.run('1', 'mutation { slowNote(ms: 400) }');
    await until(() => graph.seen.contexts.length === turn);
    client.say({ type: 'complete', id: '1' });
  }
  client.run('2', '{ hello }');
  await until(() => client.messages.length > 1);
  expect(client.messages.slice(1)).toMatchObject([{ type: 'error', id: '2', payload: [{ extensions: { code: 'RATE_LIMITED' } }] }]);
  await setTimeout(500);
  client.run('3', '{ hello }');
  await until(() => client.messages.some(({ type, id }) => type === 'complete' && id === '3'));
  client.socket.terminate();
});

test('large responses at the same time reach a slow client, once, and its connection stays open', async () => {
  await using graph = await endpoint({ socketLimits: { maxBuffered: 100_000 } });
  const client = await raw(graph);
  await client.hello();
  client.socket.pause();
  const ids = ['1', '2', '3'];
  for (const id of ids) client.run(id, '{ text(size: 10000000) refused }');
  client.run('4', 'mutation { note(text: "once") }');
  await until(() => graph.seen.contexts.length === 4);
  await setTimeout(200);
  client.socket.resume();
  await ended(client, 4);
  const answers = client.messages.filter(({ type }) => type === 'next');
  expect(answers.map(({ id }) => id).toSorted()).toEqual([...ids, '4']);
  for (const { id, payload } of answers)
    if (id !== '4') expect(payload).toMatchObject({ errors: [{ path: ['refused'] }], data: { refused: null } });
  expect(client.socket.readyState).toBe(client.socket.OPEN);
  client.socket.terminate();
});

test('a client whose pong waits behind a large response is not disconnected', async () => {
  await using graph = await endpoint({ socketLimits: { keepAlive: 200 } });
  const client = await raw(graph);
  await client.hello();
  client.socket.pause();
  client.run('1', '{ text(size: 20000000) }');
  await setTimeout(700);
  client.socket.resume();
  await ended(client, 1);
  expect(client.messages.map(({ type }) => type)).toEqual(['connection_ack', 'next', 'complete']);
  client.socket.terminate();
});

test('a client that never reads a large response is disconnected', async () => {
  await using graph = await endpoint({ socketLimits: { keepAlive: 50 } });
  const client = await raw(graph);
  await client.hello();
  client.socket.pause();
  client.run('1', 'subscription { ticks(every: 100) }');
  client.run('2', '{ text(size: 20000000) }');
  await until(() => graph.seen.streams === 1);
  await until(() => graph.seen.streams === 0);
  client.socket.terminate();
});

test('a client that lets too many bytes of responses wait is disconnected, also when it answers pings', async () => {
  await using graph = await endpoint({ socketLimits: { maxWaiting: 15_000_000 } });
  const client = await raw(graph);
  await client.hello();
  client.socket.pause();
  client.run('1', 'subscription { ticks(every: 100) }');
  for (const id of ['2', '3', '4']) client.run(id, '{ text(size: 10000000) }');
  await until(() => graph.seen.streams === 1);
  client.socket.pong();
  expect(graph.seen.streams).toBe(1);
  client.run('5', '{ text(size: 10000000) }');
  await until(() => graph.seen.streams === 0);
  client.socket.terminate();
});

test('a client that does not read a response in time is disconnected, also when it sends pongs', async () => {
  await using graph = await endpoint({ socketLimits: { keepAlive: 50, reading: 1_000 } });
  const client = await raw(graph);
  await client.hello();
  client.socket.pause();
  const pongs = setInterval(() => client.socket.pong(), 20);
  client.run('1', 'subscription { ticks(every: 100) }');
  client.run('2', '{ text(size: 20000000) }');
  await until(() => graph.seen.streams === 1);
  await until(() => graph.seen.streams === 0);
  clearInterval(pongs);
  client.socket.terminate();
});

test('an operation counts toward the limit of its connection until its response is read', async () => {
  await using graph = await endpoint({ maxOperations: 2 });
  const client = await raw(graph);
  await client.hello();
  client.socket.pause();
  for (const id of ['1', '2']) client.run(id, '{ text(size: 10000000) }');
  await until(() => graph.seen.contexts.length === 2);
  await setTimeout(200);
  client.run('3', '{ hello }');
  await setTimeout(100);
  client.socket.resume();
  await ended(client, 3);
  const refused = { type: 'error', payload: [{ extensions: { code: 'RATE_LIMITED' } }] };
  expect(client.messages.find(({ id }) => id === '3')).toMatchObject(refused);
  client.socket.terminate();
});

test('a stream continues after an event that exceeds the buffer limit', async () => {
  await using graph = await endpoint({ socketLimits: { maxBuffered: 100_000 } });
  const client = await raw(graph);
  await client.hello();
  client.socket.pause();
  client.run('1', 'subscription { ticks(upTo: 1, size: 10000000) }');
  await until(() => graph.seen.sent === 1);
  await setTimeout(100);
  client.socket.resume();
  await ended(client, 1);
  expect(client.messages.map(({ type }) => type)).toEqual(['connection_ack', 'next', 'complete']);
  client.socket.terminate();
});

/** Wait until these many operations have ended, or the connection has. */
const ended = ({ messages, socket }: Awaited<ReturnType<typeof raw>>, count: number) =>
  until(
    () =>
      socket.readyState === socket.CLOSED ||
      messages.filter(({ type }) => type === 'complete' || type === 'error').length === count,
  );
