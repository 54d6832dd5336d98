import { setImmediate } from 'node:timers/promises';
import { eventStream } from '../../schema/event-stream.ts';

interface Event {
  number: number;
}

/** A stream with events from the test, and a counter of closes. */
function open(close: () => unknown = () => {}) {
  const waiting: PromiseWithResolvers<Event | undefined>[] = [];
  const counts = { closed: 0 };
  const pull = () => {
    const next = Promise.withResolvers<Event | undefined>();
    waiting.push(next);
    return next.promise;
  };
  const stream = eventStream(pull, () => {
    counts.closed += 1;
    return close();
  });
  return { stream, waiting, counts };
}

const value = (number: number) => ({ done: false, value: { number } });
const over = { done: true, value: undefined };

test('a loop reads every event and closes once', async () => {
  const events: (Event | undefined)[] = [{ number: 1 }, { number: 2 }, undefined];
  let closed = 0;
  const read: Event[] = [];
  for await (const event of eventStream(
    async () => events.shift(),
    () => {
      closed += 1;
    },
  ))
    read.push(event);
  expect([read, closed]).toEqual([[{ number: 1 }, { number: 2 }], 1]);
});

test('return ends a stream at once while its next event is awaited', async () => {
  const { stream, waiting, counts } = open();
  const next = stream.next();
  expect(await stream.return!()).toEqual(over);
  expect(await next).toEqual(over);
  waiting[0]!.resolve({ number: 1 });
  await setImmediate();
  expect([await stream.next(), counts.closed, waiting.length]).toEqual([over, 1, 1]);
});

test('a last event is read before the end, by waiting and later readers', async () => {
  const early = open();
  const next = early.stream.next();
  early.stream.end({ number: 9 });
  expect([await next, await early.stream.next()]).toEqual([value(9), over]);

  const late = open();
  late.stream.end({ number: 9 });
  late.stream.end({ number: 10 });
  expect([await late.stream.next(), await late.stream.next(), late.counts.closed]).toEqual([value(9), over, 1]);
});

test('return drops an unread last event', async () => {
  const { stream } = open();
  stream.end({ number: 9 });
  await stream.return!();
  expect(await stream.next()).toEqual(over);
});

test('a source that fails ends the stream with its error', async () => {
  const { stream, waiting, counts } = open();
  const next = stream.next();
  waiting[0]!.reject(new Error('lost'));
  await expect(next).rejects.toThrow('lost');
  expect([await stream.next(), counts.closed]).toEqual([over, 1]);
});

test('a failure to close reaches only the caller of return', async () => {
  const close = () => Promise.reject(new Error('stuck'));
  await expect(open(close).stream.return!()).rejects.toThrow('stuck');
  const { stream, waiting } = open(close);
  const next = stream.next();
  waiting[0]!.resolve(undefined);
  expect(await next).toEqual(over);
  await setImmediate();
});
