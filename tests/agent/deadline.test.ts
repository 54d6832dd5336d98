import { DeadlineExceeded, withDeadline } from '../../subgraphs/common/deadline.ts';

test('work within its time returns its value or throws its own error', () => {
  expect(withDeadline(1_000, () => 7)).toBe(7);
  const error = new TypeError('own');
  expect(() =>
    withDeadline(1_000, () => {
      throw error;
    }),
  ).toThrow(error);
});

test.each([
  [
    'a loop',
    () => {
      for (;;);
    },
  ],
  ['a regular expression', () => /^(a+)+$/.test(`${'a'.repeat(40)}b`)],
])('%s is terminated', (_, work) => {
  const started = performance.now();
  expect(() => withDeadline(50, work)).toThrow(DeadlineExceeded);
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(withDeadline(1_000, () => 'next')).toBe('next');
});
