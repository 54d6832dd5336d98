import { jest } from '@jest/globals';
import { WorkerLoad } from '../../workflows/activity-attempt.ts';
import { ConcurrencyWindow, pauseAfter } from '../../workflows/job/concurrency-window.ts';

test('a throttled item waits some eight minutes in all, or as long as the provider asks', () => {
  const pauses = Array.from({ length: 10 }, (_, at) => pauseAfter(at + 1));
  expect(pauses.reduce((sum: number, each) => sum + (each ?? 0), 0)).toBe(449_000);
  expect(pauses.at(-1)).toBeUndefined();
  expect(pauseAfter(1, 0)).toBe(250);
  expect(pauseAfter(1, 5_000)).toBe(5_000);
  expect(pauseAfter(9, 5_000)).toBe(120_000);
});

test('the window returns to its size when a growth does not raise the rate', () => {
  // A provider with ten slots of a second each, which queues further requests.
  expect(sizesOf(10)).toEqual([20, 40, 20, 20, 20]);
  // One that serves all at once.
  expect(sizesOf(1_000)).toEqual([20, 40, 80, 100, 100]);
});

test('the window shrinks while the workers are crowded, but not below a quarter of its initial size', () => {
  const window = new ConcurrencyWindow({ initial: 20, limit: 100 }, 80);
  const sizes = Array.from({ length: 5 }, () => {
    for (let item = window.size; item > 0; item -= 1) window.complete({ mayGrow: false, crowded: true });
    return window.size;
  });
  expect(sizes).toEqual([40, 20, 10, 5, 5]);
});

test('beside a small job, the window shrinks only by what the workers lack', () => {
  const running = new WorkerLoad(120);
  for (let item = 0; item < 100; item += 1) running.add('large');
  for (let item = 0; item < 10; item += 1) running.add('small');
  const share = running.shareOf('large');
  expect(share).toBeCloseTo(0.86);
  const window = new ConcurrencyWindow({ initial: 20, limit: 100 }, 100);
  for (let item = 0; item < 100; item += 1) window.complete({ mayGrow: false, crowded: true, share });
  expect(window.size).toBe(86);
  // Nobody knows how many items wait when all slots are taken.
  for (let item = 0; item < 10; item += 1) running.add('small');
  expect(running.shareOf('large')).toBe(0.5);
});

test('a window that grows in small steps is judged once it is half as large again', () => {
  jest.useFakeTimers();
  try {
    const window = new ConcurrencyWindow({ initial: 20, limit: 100 });
    for (let item = 0; item < 20; item += 1) window.complete({ mayGrow: false, crowded: true, share: 0.8 });
    // Every second round is a tenth slower, more than a small step gains.
    const sizes = Array.from({ length: 6 }, (_, round) => {
      const { size } = window;
      jest.advanceTimersByTime(round % 2 === 0 ? 5_000 : 5_500);
      for (let item = 0; item < size; item += 1) window.complete({ mayGrow: true });
      return size;
    });
    expect(sizes).toEqual([16, 18, 21, 24, 27, 31]);
  } finally {
    jest.useRealTimers();
  }
});

test('a continued run does not exceed a limit that was lowered meanwhile', () => {
  expect(new ConcurrencyWindow({ initial: 20, limit: 20 }, 100).size).toBe(20);
});

/** Sizes of a window over five rounds with a provider that takes a second for each request, and serves so many at once. */
function sizesOf(slots: number): number[] {
  jest.useFakeTimers();
  try {
    const window = new ConcurrencyWindow({ initial: 20, limit: 100 });
    return Array.from({ length: 5 }, () => {
      const { size } = window;
      jest.advanceTimersByTime(1_000 * Math.ceil(size / slots));
      for (let item = 0; item < size; item += 1) window.complete({ mayGrow: true });
      return size;
    });
  } finally {
    jest.useRealTimers();
  }
}

test('a worker is crowded by the organizations that run their share of its items or more', () => {
  const running = new WorkerLoad(20);
  const add = (organizationId: string, items: number) => {
    for (let item = 0; item < items; item += 1) running.add(organizationId);
  };
  add('large', 17);
  expect(running.isCrowdedBy('large')).toBe(false);
  // Also alone: the items of others would wait behind its queue.
  add('large', 1);
  expect(running.isCrowdedBy('large')).toBe(true);
  add('small', 2);
  expect([running.isCrowdedBy('large'), running.isCrowdedBy('small')]).toEqual([true, false]);
});

test('the jobs of an organization that begin at once share half of a worker', () => {
  const running = new WorkerLoad(120);
  const begin = (organizationId: string, jobs: number) => Array.from({ length: jobs }, () => running.begin(organizationId, 20));
  expect(begin('large', 7)).toEqual([20, 20, 20, 1, 1, 1, 1]);
  expect(begin('small', 1)).toEqual([20]);
});

test('a job that begins beside a large one of its organization gets half of the free slots', () => {
  const running = new WorkerLoad(120);
  for (let item = 0; item < 100; item += 1) running.add('acme');
  expect(running.begin('acme', 20)).toBe(10);
  expect(running.begin('acme', 20)).toBe(1);
});

test('a window that began with a share grows to the usual size while the provider is fast', () => {
  const window = new ConcurrencyWindow({ initial: 3, limit: 100, usual: 20 });
  const sizes = Array.from({ length: 5 }, () => {
    for (let item = window.size; item > 0; item -= 1) window.complete({ mayGrow: true }, 500);
    return window.size;
  });
  expect(sizes).toEqual([6, 12, 20, 20, 20]);
});
