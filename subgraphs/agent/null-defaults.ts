/** The fields that a change contains. Null becomes the default, which is the value of a blank record. */
export function withDefaults<T extends object>(change: object, blank: T): Partial<T> {
  const sent = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [name, value ?? blank[name as keyof T]])) as Partial<T>;
}
