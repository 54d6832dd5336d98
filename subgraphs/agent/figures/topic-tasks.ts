/** Cosine of the angle between questions of one topic, at least. */
const SIMILAR = 0.6;

interface Topic {
  /** Place of the question that is similar to most others. */
  center: number;
  /** Places of all questions, in the given order. */
  members: number[];
}

/**
 * Groups similar vectors of signed bytes: the one with the most neighbors that are in no group yet, with these, is the next group. Compares
 * each pair, so their number must be limited.
 */
function findTopics({ vectors, limit }: { vectors: readonly Uint8Array[]; limit: number }): Topic[] {
  const units = vectors.map(unitOf);
  const neighbors: number[][] = units.map((_, at) => [at]);
  for (const [a, left] of units.entries()) {
    for (let b = a + 1; b < units.length; b += 1) {
      if (dot(left, units[b]!) < SIMILAR) continue;
      neighbors[a]!.push(b);
      neighbors[b]!.push(a);
    }
  }
  const grouped = new Set<number>();
  const topics: Topic[] = [];
  while (topics.length < limit) {
    let best: Topic = { center: -1, members: [] };
    for (const [center, near] of neighbors.entries()) {
      if (grouped.has(center) || near.length <= best.members.length) continue;
      const members = near.filter((each) => !grouped.has(each));
      if (members.length > best.members.length) best = { center, members };
    }
    if (best.members.length < 2) break;
    for (const member of best.members) grouped.add(member);
    topics.push({ ...best, members: best.members.sort((a, b) => a - b) });
  }
  return topics;
}

function unitOf(bytes: Uint8Array): Float32Array {
  const signed = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = Math.hypot(...signed) || 1;
  return Float32Array.from(signed, (number) => number / length);
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += left[at]! * right[at]!;
  return sum;
}

/** Work that takes long for the event loop. It runs in a thread. */
export const tasks = { findTopics };
