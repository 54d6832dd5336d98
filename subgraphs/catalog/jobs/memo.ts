import { detached, type Scope } from '../../../platform/scope/index.ts';

const cache = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Caches the result of `read` per object and name, and retries after a failure. `read` receives a detached scope, so that the
 * cancellation of one caller does not affect the others.
 */
export function readOnce<T>(scope: Scope, of: object, name: string, read: (scope: Scope) => Promise<T>): Promise<T> {
  const known = cache.get(of) ?? new Map<string, Promise<unknown>>();
  cache.set(of, known);
  const reading = (known.get(name) as Promise<T> | undefined) ?? read(detached(scope));
  known.set(name, reading);
  reading.catch(() => known.delete(name));
  return reading;
}
