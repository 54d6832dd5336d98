import { setTimeout } from 'node:timers/promises';
import { OpenStreams } from '../../../server/graphql/protocol.ts';
import { until } from '../../support/until.ts';
import { endpoint } from './endpoint.ts';
import { raw } from './websocket-client.ts';

test('an owner holds as many streams as it leaves free, so that the others can open some', () => {
  const streams = new OpenStreams(8);
  const opened = Array.from({ length: 6 }, () => streams.open('a'));
  expect(opened.map((close) => close !== undefined)).toEqual([true, true, true, true, false, false]);
  expect(streams.open('b')).toBeDefined();
  expect(streams.open('b')).toBeDefined();
  expect(streams.open('b')).toBeUndefined();
  expect(streams.open('c')).toBeDefined();
  for (const close of opened) {
    close?.();
    close?.();
  }
  expect(Array.from({ length: 5 }, () => streams.open('a') !== undefined)).toEqual([true, true, true, false, false]);
});

test('subscriptions beyond the limit are refused until others end', async () => {
  await using graph = await endpoint({ socketLimits: { streams: 4 } });
  const [one, two] = [await raw(graph), await raw(graph)];
  for (const client of [one, two]) await client.hello();
  const refusals = () => two.messages.filter(({ payload }) => JSON.stringify(payload)?.includes('RATE_LIMITED')).length;
  one.run('1', 'subscription { ticks(every: 20) }');
  two.run('1', 'subscription { ticks(every: 20) }');
  await until(() => graph.seen.streams === 2);
  two.run('2', 'subscription { ticks(every: 20) }');
  await until(() => refusals() === 1);
  two.run('3', '{ hello }');
  await until(() => two.messages.some(({ type, id }) => type === 'complete' && id === '3'));
  one.socket.terminate();
  await until(() => graph.seen.streams === 1);
  two.run('4', 'subscription { broken }');
  await until(() => two.messages.some(({ id }) => id === '4'));
  two.run('5', 'subscription { ticks(every: 20) }');
  await until(() => graph.seen.streams === 2);
  expect(refusals()).toBe(1);
  two.socket.terminate();
});

test('a connection without a key is closed when it runs nothing; one with a key stays', async () => {
  await using graph = await endpoint({ socketLimits: { idle: 100 } });
  const [idle, busy, keyed] = [await raw(graph), await raw(graph), await raw(graph)];
  for (const client of [idle, busy]) await client.hello({});
  await keyed.hello();
  busy.run('1', 'subscription { ticks(every: 20, upTo: 30) }');
  expect(await idle.closed).toEqual({ code: 1000, reason: 'The connection is idle' });
  await setTimeout(200);
  expect([busy, keyed].map(({ socket }) => socket.readyState)).toEqual([1, 1]);
  expect(await busy.closed).toMatchObject({ code: 1000 });
  expect(busy.messages.at(-1)).toMatchObject({ type: 'complete' });
  expect(keyed.socket.readyState).toBe(keyed.socket.OPEN);
  keyed.socket.terminate();
});
