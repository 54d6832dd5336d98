import { expect, test } from '@jest/globals';
import { SizedCache } from '../../gateway/cache.ts';

test('entries together never have more bytes than the budget', () => {
  const cache = new SizedCache<number, string>(1_000);
  for (let key = 0; key < 500; key++) {
    cache.set(key, 'x', 1 + (key % 90));
    cache.get(key - (key % 7));
    expect(cache.bytes).toBeLessThanOrEqual(1_000);
  }
});

test('an entry that was read again outlives a flood of new ones', () => {
  const cache = new SizedCache<string, number>(1_000);
  cache.set('used', 1, 10);
  cache.set('unused', 1, 10);
  cache.get('used');
  for (let key = 0; key < 1_000; key++) cache.set(`new ${key}`, 1, 10);
  expect([cache.get('used'), cache.get('unused')]).toEqual([1, undefined]);
});

test('the entry that was read longest ago goes first', () => {
  const cache = new SizedCache<string, number>(400);
  for (const key of ['a', 'b', 'c']) {
    cache.set(key, 1, 100);
    cache.get(key);
  }
  cache.get('a');
  cache.set('d', 1, 100);
  cache.get('d');
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([1, undefined, 1, 1]);
});

test('an entry that is larger than a quarter of the budget is not kept', () => {
  const cache = new SizedCache<string, number>(400);
  cache.set('large', 1, 101);
  expect([cache.get('large'), cache.bytes]).toEqual([undefined, 0]);
});

test('a value that is set again counts once', () => {
  const cache = new SizedCache<string, number>(400);
  cache.set('a', 1, 50);
  cache.set('a', 2, 60);
  expect([cache.get('a'), cache.bytes]).toEqual([2, 60]);
  cache.set('a', 3, 70);
  expect([cache.get('a'), cache.bytes]).toEqual([3, 70]);
  cache.delete('a');
  expect(cache.bytes).toBe(0);
});
