import { setImmediate } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { EventStream, mapStream } from '../../gateway/event-stream.ts';

/** A source whose reads the test settles. */
function source(close = async () => ({ done: true as const, value: undefined })) {
  const reads: PromiseWithResolvers<IteratorResult<number>>[] = [];
  const onReturn = jest.fn(close);
  const events: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        reads.push(Promise.withResolvers());
        return reads.at(-1)!.promise;
      },
      return: onReturn,
    }),
  };
  return { events, reads, onReturn };
}
const over = { done: true, value: undefined };
const double = (event: number) => event * 2;

test('events are mapped in order, and each read is announced', async () => {
  const { events, reads, onReturn } = source();
  const [beforeRead, onEnd] = [jest.fn(), jest.fn()];
  const stream = mapStream(events, { map: async (event) => double(event), beforeRead });
  stream.onEnd(onEnd);
  const first = stream.next();
  expect(beforeRead).toHaveBeenCalledTimes(1);
  reads[0]!.resolve({ done: false, value: 1 });
  expect(await first).toEqual({ done: false, value: 2 });
  const second = stream.next();
  reads[1]!.resolve({ done: true, value: undefined });
  expect([await second, await stream.next()]).toEqual([over, over]);
  expect([beforeRead, onEnd, onReturn].map((each) => each.mock.calls.length)).toEqual([2, 1, 0]);
});

test.each<[string, (stream: EventStream<number>, abort: AbortController) => unknown]>([
  ['return', (stream) => stream.return!()],
  ['throw', (stream) => stream.throw!(new Error('stop')).catch(() => {})],
  ['the signal', (_, controller) => controller.abort()],
])('%s settles all pending reads at once and unsubscribes the source once', async (_, stop) => {
  const { events, reads, onReturn } = source();
  const controller = new AbortController();
  const onEnd = jest.fn();
  const map = jest.fn(double);
  const stream = mapStream(events, { map, signal: controller.signal });
  stream.onEnd(onEnd);
  const pending = [stream.next(), stream.next()];
  await stop(stream, controller);
  expect(await Promise.all(pending)).toEqual([over, over]);
  reads[0]!.resolve({ done: false, value: 1 });
  reads[1]!.reject(new Error('late'));
  expect([await stream.return!(), await stream.next()]).toEqual([over, over]);
  expect([onEnd, onReturn, map].map((each) => each.mock.calls.length)).toEqual([1, 1, 0]);
});

test('a stream whose signal has aborted ends before the first read', async () => {
  const { events, reads, onReturn } = source();
  expect(await mapStream(events, { map: double, signal: AbortSignal.abort() }).next()).toEqual(over);
  expect([reads.length, onReturn.mock.calls.length]).toEqual([0, 1]);
});

test('the owner ends a stream with a last event, whether or not a read is pending', async () => {
  for (const isPending of [true, false]) {
    const { events, onReturn } = source();
    const stream = mapStream(events, { map: double });
    const pending = isPending && stream.next();
    stream.end(9);
    stream.end(10);
    expect(await (pending || stream.next())).toEqual({ done: false, value: 9 });
    expect(await stream.next()).toEqual(over);
    expect(onReturn).toHaveBeenCalledTimes(1);
  }
});

test('an error of the source becomes the last event, or the error of the stream', async () => {
  for (const lost of [() => -1, undefined]) {
    const { events, reads, onReturn } = source();
    const onEnd = jest.fn();
    const stream = mapStream(events, { map: double, lost });
    stream.onEnd(onEnd);
    const pending = stream.next();
    reads[0]!.reject(new Error('socket hang up'));
    if (lost) expect(await pending).toEqual({ done: false, value: -1 });
    else await expect(pending).rejects.toThrow('socket hang up');
    expect(await stream.next()).toEqual(over);
    expect([onEnd, onReturn].map((each) => each.mock.calls.length)).toEqual([1, 0]);
  }
});

test('an event that cannot be mapped ends the stream and unsubscribes the source, whose own error is ignored', async () => {
  const { events, reads, onReturn } = source(() => Promise.reject(new Error('closed')));
  const onEnd = jest.fn();
  const stream = mapStream(events, { map: () => Promise.reject(new Error('no answer')) });
  stream.onEnd(onEnd);
  const pending = stream.next();
  reads[0]!.resolve({ done: false, value: 1 });
  await expect(pending).rejects.toThrow('no answer');
  expect(await stream.next()).toEqual(over);
  expect([onEnd, onReturn].map((each) => each.mock.calls.length)).toEqual([1, 1]);
});

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
  const stream = new EventStream(pull, () => {
    counts.closed += 1;
    return close();
  });
  return { stream, waiting, counts };
}

const value = (number: number) => ({ done: false, value: { number } });

test('a loop reads every event and closes once', async () => {
  const events: (Event | undefined)[] = [{ number: 1 }, { number: 2 }, undefined];
  let closed = 0;
  const read: Event[] = [];
  for await (const event of new EventStream(
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
