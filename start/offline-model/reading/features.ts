import { tokensOf } from './words.ts';

/** Frequent words carry little meaning, so they weigh little. */
const COMMON = new Set(
  'a an and are as at be but by can do does for from has have how i if in is it me my no not of on or our please so tell that the their there this to was we what when where which who why will with you your'.split(
    ' ',
  ),
);
const COMMON_WEIGHT = 0.1;
/** Share of a word that its character n-grams carry, so that a typo or an inflection changes the vector only a little. */
const GRAM_SHARE = 0.6;

/** The words and character n-grams of a text, each with its weight. */
export function* featuresOf(text: string): Generator<[feature: string, weight: number]> {
  for (const word of tokensOf(text)) {
    const weight = COMMON.has(word) ? COMMON_WEIGHT : 1;
    yield [word, weight * (1 - GRAM_SHARE)];
    const grams = gramsOf(` ${word.slice(0, 40)} `);
    for (const gram of grams) yield [`#${gram}`, (weight * GRAM_SHARE) / Math.sqrt(grams.length)];
  }
}

function gramsOf(padded: string): string[] {
  const letters = [...padded];
  return letters.slice(0, -2).map((_, at) => letters.slice(at, at + 3).join(''));
}

/** A fast 32-bit hash (FNV-1a with a final mix), the same in every process. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
