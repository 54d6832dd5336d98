import { BlockCache } from '../../../subgraphs/agent/retrieval/exact-scan.ts';

const block = (bytes: number) => ({ ids: [], vectors: new Float32Array(bytes / 4) });

test('a circle of blocks larger than the budget still hits the part that fits', () => {
  const cache = new BlockCache(2_000);
  const keys = Array.from({ length: 20 }, (_, at) => `b${at}`);
  const scan = (now: number) => keys.filter((key) => cache.get(key, now) ?? void cache.offer(key, 'acme', block(100), now)).length;
  expect(scan(0)).toBe(0);
  // An organization gets half of the budget.
  expect([scan(10), scan(20)]).toEqual([10, 10]);
  expect(cache.bytes).toBe(1_000);
});

test('one organization leaves room for others, and idle blocks give way', () => {
  const cache = new BlockCache(400);
  for (const organization of ['a', 'b', 'c']) cache.offer(`1 ${organization}`, organization, block(200), 0);
  expect([cache.get('1 a', 1), cache.get('1 b', 1), cache.get('1 c', 1)].map(Boolean)).toEqual([true, true, false]);
  cache.get('1 b', 59_000);
  cache.offer('2 c', 'c', block(200), 61_000);
  expect([cache.get('1 a', 61_000), cache.get('1 b', 61_000), cache.get('2 c', 61_000)].map(Boolean)).toEqual([false, true, true]);
  expect(cache.bytes).toBe(400);
});
