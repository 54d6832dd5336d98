import { jest } from '@jest/globals';
import { OpenStreams } from '../../../server/graphql/websocket-protocol.ts';
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
  const idle = 600_000;
  const timers = jest.spyOn(globalThis, 'setInterval');
  await using graph = await endpoint({ socketLimits: { idle } });
  // The test calls the check itself, because the time between two checks must not pass before all clients have sent their messages.
  const check = timers.mock.calls.find(([, ms]) => ms === idle / 2)![0] as () => void;
  timers.mockRestore();
  const [quiet, busy, keyed] = [await raw(graph), await raw(graph), await raw(graph)];
  for (const client of [quiet, busy]) await client.hello({});
  await keyed.hello();
  busy.run('1', 'subscription { ticks(every: 20, upTo: 50) }');
  await until(() => graph.seen.streams === 1);
  check();
  check();
  expect(await quiet.closed).toEqual({ code: 1000, reason: 'The connection is idle' });
  keyed.run('1', '{ hello }');
  await until(() => keyed.messages.at(-1)?.type === 'complete');
  expect([busy, keyed].map(({ socket }) => socket.readyState)).toEqual([1, 1]);
  await until(() => busy.messages.at(-1)?.type === 'complete');
  await until(() => {
    check();
    return busy.socket.readyState === busy.socket.CLOSED;
  });
  expect(await busy.closed).toMatchObject({ code: 1000 });
  expect(busy.messages.at(-1)).toMatchObject({ type: 'complete' });
  expect(keyed.socket.readyState).toBe(keyed.socket.OPEN);
  keyed.socket.terminate();
});
