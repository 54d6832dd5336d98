const made = new WeakMap<object, Map<string, Promise<unknown>>>();

/** What is read of an object that many hold, read once for all of them; again after a failure. */
export function shared<T>(of: object, name: string, read: () => Promise<T>): Promise<T> {
  const known = made.get(of) ?? new Map<string, Promise<unknown>>();
  made.set(of, known);
  const reading = (known.get(name) as Promise<T> | undefined) ?? read();
  known.set(name, reading);
  reading.catch(() => known.delete(name));
  return reading;
}
