import { SizedCache } from './cache.ts';
import type { Scope } from './scope.ts';
import type { Services } from './services.ts';

interface Entry {
  version: number;
  value: Promise<unknown>;
}

const BUDGET = 16_000_000;
const caches = new WeakMap<Services, SizedCache<string, Entry>>();

/**
 * Reads a value once per version of its rows. Concurrent requests share one read, so it must not end with one of them.
 * @param name the value and its arguments, as JSON
 * @param version changes with every commit that could change the value
 * @param bytesOf size of the value; by default that of a number
 */
export function readAt<T>(
  scope: Scope,
  name: unknown,
  version: number,
  read: () => Promise<T>,
  bytesOf: (value: T) => number = () => 0,
): Promise<T> {
  const cache = caches.get(scope.services) ?? new SizedCache<string, Entry>(BUDGET);
  caches.set(scope.services, cache);
  const key = JSON.stringify([scope.organizationId, name]);
  const known = cache.get(key);
  // The name determines the type of the value.
  if (known?.version === version) return known.value as Promise<T>;
  const value = read();
  const entry = { version, value };
  const keep = (bytes: number) => cache.set(key, entry, 2 * key.length + 200 + bytes);
  keep(0);
  value.then(
    (found) => keep(bytesOf(found)),
    () => cache.delete(key),
  );
  return value;
}
