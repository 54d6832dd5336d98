import { jest } from '@jest/globals';
import { endable } from '../../gateway/endable-stream.ts';

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
  const stream = endable(events, { map: async (event) => double(event), beforeRead, onEnd });
  const first = stream.next();
  expect(beforeRead).toHaveBeenCalledTimes(1);
  reads[0]!.resolve({ done: false, value: 1 });
  expect(await first).toEqual({ done: false, value: 2 });
  const second = stream.next();
  reads[1]!.resolve({ done: true, value: undefined });
  expect([await second, await stream.next()]).toEqual([over, over]);
  expect([beforeRead, onEnd, onReturn].map((each) => each.mock.calls.length)).toEqual([2, 1, 0]);
});

test.each<[string, (stream: ReturnType<typeof endable<number, number>>, abort: AbortController) => unknown]>([
  ['return', (stream) => stream.return!()],
  ['throw', (stream) => stream.throw!(new Error('stop')).catch(() => {})],
  ['the signal', (_, controller) => controller.abort()],
])('%s settles all pending reads at once and unsubscribes the source once', async (_, stop) => {
  const { events, reads, onReturn } = source();
  const controller = new AbortController();
  const onEnd = jest.fn();
  const map = jest.fn(double);
  const stream = endable(events, { map, onEnd, signal: controller.signal });
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
  expect(await endable(events, { map: double, signal: AbortSignal.abort() }).next()).toEqual(over);
  expect([reads.length, onReturn.mock.calls.length]).toEqual([0, 1]);
});

test('the owner ends a stream with a last event, whether or not a read is pending', async () => {
  for (const isPending of [true, false]) {
    const { events, onReturn } = source();
    const stream = endable(events, { map: double });
    const pending = isPending && stream.next();
    stream.terminate(9);
    stream.terminate(10);
    expect(await (pending || stream.next())).toEqual({ done: false, value: 9 });
    expect(await stream.next()).toEqual(over);
    expect(onReturn).toHaveBeenCalledTimes(1);
  }
});

test('an error of the source becomes the last event, or the error of the stream', async () => {
  for (const lost of [() => -1, undefined]) {
    const { events, reads, onReturn } = source();
    const onEnd = jest.fn();
    const stream = endable(events, { map: double, lost, onEnd });
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
  const stream = endable(events, { map: () => Promise.reject(new Error('no answer')), onEnd });
  const pending = stream.next();
  reads[0]!.resolve({ done: false, value: 1 });
  await expect(pending).rejects.toThrow('no answer');
  expect(await stream.next()).toEqual(over);
  expect([onEnd, onReturn].map((each) => each.mock.calls.length)).toEqual([1, 1]);
});
