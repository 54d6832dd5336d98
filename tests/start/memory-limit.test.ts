import { totalmem } from 'node:os';
import { memoryLimit } from '../../start/telemetry/metrics-server.ts';

const GIB = 1024 ** 3;

test('the limit of the container counts if it is lower than the memory of the machine', () => {
  expect(memoryLimit(1.5 * GIB, 16 * GIB)).toBe(1.5 * GIB);
});

test.each([0, 2 ** 63, 2 ** 64])(
  'a process without a limit, for which the system reports %d, may use the memory of the machine',
  (none) => {
    expect(memoryLimit(none, 16 * GIB)).toBe(16 * GIB);
  },
);

test('the limit of this process is positive and at most the memory of the machine', () => {
  expect(memoryLimit()).toBeGreaterThan(0);
  expect(memoryLimit()).toBeLessThanOrEqual(totalmem());
});
