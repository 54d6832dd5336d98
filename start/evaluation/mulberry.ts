/** The generator Mulberry32, which repeats its numbers for the same seed. */
export function mulberry(seed: number): () => number {
  let state = Math.floor(seed * 2_654_435_761) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
