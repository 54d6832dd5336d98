/** Dimensions of stored vectors. A provider that ignores the requested number is truncated or padded to it. */
export const DIMENSIONS = 512;

/**
 * A unit vector of `DIMENSIONS`. Truncation follows models whose first dimensions carry the most information (Matryoshka); padding with
 * zeros keeps every cosine.
 */
export function unitVector(values: ArrayLike<number>): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  const count = Math.min(values.length, DIMENSIONS);
  for (let at = 0; at < count; at += 1) vector[at] = values[at]!;
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) throw new RangeError('the embedding has no direction');
  return vector.map((each) => each / length);
}
