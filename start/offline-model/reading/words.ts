/** Lower-cases and removes accents and hyphens, so that 'Dishwasher-safe' equals 'dishwasher safe'. */
export const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[-_‐‑\s]+/g, ' ')
    .trim();

export const tokensOf = (text: string) => (plain(text).match(/[\p{L}\p{N}]+/gu) ?? []).map(stem);

/** Approximate singular: 'boxes' to 'box', 'colors' to 'color'. */
const stem = (word: string) => (word.length > 3 ? word.replace(/(?<=[sxz]|ch|sh)es$|(?<![su])s$/, '').replace(/ie$/, 'y') : word);

export const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const patterns = new Map<string, RegExp>();

/** Matches whole words; the last may be plural. Cached, because every sentence is searched for the same phrases. */
function patternOf(phrase: string): RegExp {
  const known = patterns.get(phrase);
  if (known) return known;
  const words = plain(phrase);
  const plural = /\p{L}$/u.test(words) ? '(?:e?s)?' : '';
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped(words)}${plural}(?![\\p{L}\\p{N}])`, 'gu');
  if (patterns.size > 10_000) patterns.clear();
  patterns.set(phrase, pattern);
  return pattern;
}

/** Position of a phrase in text that is already normalized by `plain`. */
export const placesOf = (phrase: string, text: string): number[] =>
  phrase.trim() === '' ? [] : [...text.matchAll(patternOf(phrase))].map(({ index }) => index);

/** Whether the preceding words negate the position: 'not waterproof', 'without a battery'. */
export const isDenied = (text: string, place: number) =>
  /\b(?:not|no|non|never|without|nor|cannot|isn['’]t|aren['’]t|don['’]t|free of)(?:\s+\p{L}+){0,2}\s*$/u.test(
    text.slice(Math.max(0, place - 30), place).replace(/^.*[.;]/, ''),
  );
