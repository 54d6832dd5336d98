import { detached, type Scope } from '../../common/scope.ts';

const made = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Reads something once for all holders of an object, and again after a failure. `read` gets a scope that no single caller can cancel:
 * the others wait for the same answer.
 */
export function shared<T>(scope: Scope, of: object, name: string, read: (scope: Scope) => Promise<T>): Promise<T> {
  const known = made.get(of) ?? new Map<string, Promise<unknown>>();
  made.set(of, known);
  const reading = (known.get(name) as Promise<T> | undefined) ?? read(detached(scope));
  known.set(name, reading);
  reading.catch(() => known.delete(name));
  return reading;
}
