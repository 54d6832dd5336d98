import * as fc from 'fast-check';

const builders = new Map<string, () => fc.Arbitrary<number>>();

/** Returns one builder per range, which fast-check compares by identity. It would compare the options of `fc.integer` deeply. */
export function integers(min: number, max: number): () => fc.Arbitrary<number> {
  const range = `${min} ${max}`;
  const builder = builders.get(range) ?? (() => fc.integer({ min, max }));
  builders.set(range, builder);
  return builder;
}
