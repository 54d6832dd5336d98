import type { VectorHit } from './vector-query.ts';
import type { WordHit } from './words.ts';

/** The places of a passage in both lists. */
export interface Fused {
  id: string;
  score: number;
  wordRank: number | null;
  words: string[];
  vectorRank: number | null;
  similarity: number | null;
}

/** Constant of reciprocal rank fusion: larger values give the first places less weight. */
const K = 60;

/** Merges two ranked lists by reciprocal rank: scores of different kinds cannot be added, but places can. */
export function fuse(words: readonly WordHit[], vectors: readonly VectorHit[]): Fused[] {
  const fused = new Map<string, Fused>();
  const entry = (id: string): Fused => {
    const known = fused.get(id) ?? { id, score: 0, wordRank: null, words: [], vectorRank: null, similarity: null };
    fused.set(id, known);
    return known;
  };
  for (const [at, hit] of words.entries()) {
    const each = entry(hit.id);
    Object.assign(each, { wordRank: at + 1, words: hit.words, score: each.score + 1 / (K + at + 1) });
  }
  for (const [at, { id, similarity }] of vectors.entries()) {
    const each = entry(id);
    Object.assign(each, { vectorRank: at + 1, similarity, score: each.score + 1 / (K + at + 1) });
  }
  return [...fused.values()].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}
