import * as fc from 'fast-check';

const builders = new Map<string, () => fc.Arbitrary<number>>();

/** Builder of an integer in this range, one per range. fast-check finds it by identity; it compares the options of `fc.integer` deeply. */
export function integers(min: number, max: number): () => fc.Arbitrary<number> {
  const range = `${min} ${max}`;
  const builder = builders.get(range) ?? (() => fc.integer({ min, max }));
  builders.set(range, builder);
  return builder;
}
