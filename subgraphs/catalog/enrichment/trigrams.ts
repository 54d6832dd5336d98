import { SizedCache } from '../../../platform/database/index.ts';

/** The distinct trigrams of a text in ascending order. */
type Trigrams = Float64Array;

const WORD = /[\p{L}\p{N}]+/gu;
const UNIT = 2 ** 16;

/** The items of a job compare with the same texts again and again. */
const cache = new SizedCache<string, Trigrams>(8 * 1024 * 1024);
/** Estimated bytes of a trigram and of a character of its key. */
const [TRIGRAM, CHARACTER] = [8, 2];

/**
 * The similarity of two texts, 0 to 1, by the trigrams of their words, like `similarity` of PostgreSQL. The database computes the
 * trigrams of both texts in each comparison, which takes most of the time of a ranking.
 */
export function similarity(first: string, second: string): number {
  const [a, b] = [trigramsOf(first), trigramsOf(second)];
  let [common, at] = [0, 0];
  for (const trigram of a) {
    while (at < b.length && b[at]! < trigram) at += 1;
    if (b[at] === trigram) common += 1;
  }
  const all = a.length + b.length - common;
  return all === 0 ? 0 : common / all;
}

function trigramsOf(text: string): Trigrams {
  const known = cache.get(text);
  if (known) return known;
  const found = new Set<number>();
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    const padded = `  ${word} `;
    for (let at = 0; at + 2 < padded.length; at += 1) {
      found.add((padded.charCodeAt(at) * UNIT + padded.charCodeAt(at + 1)) * UNIT + padded.charCodeAt(at + 2));
    }
  }
  const trigrams = Float64Array.from(found).sort();
  cache.set(text, trigrams, trigrams.length * TRIGRAM + text.length * CHARACTER);
  return trigrams;
}
