/** Lower case, accents and hyphens gone, so that 'Dishwasher-safe' and 'dishwasher safe' are the same words. */
export const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[-_‐‑\s]+/g, ' ')
    .trim();

export const tokensOf = (text: string) => (plain(text).match(/[\p{L}\p{N}]+/gu) ?? []).map(stem);

/** Singular, roughly: 'boxes' and 'box', 'colours' and 'colour'. */
export const stem = (word: string) =>
  word.length > 3 ? word.replace(/(?<=[sxz]|ch|sh)es$|(?<![su])s$/, '').replace(/ie$/, 'y') : word;

export const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Where a phrase stands as whole words in text that is `plain` already; its last word may be a plural. */
export function placesOf(phrase: string, text: string): number[] {
  const words = plain(phrase);
  if (!words) return [];
  const plural = /[\p{L}]$/u.test(words) ? '(?:e?s)?' : '';
  return [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${escaped(words)}${plural}(?![\\p{L}\\p{N}])`, 'gu'))].map(
    ({ index }) => index,
  );
}

/** Whether the words just before a place deny what follows: 'not waterproof', 'without a battery'. */
export const isDenied = (text: string, place: number) =>
  /\b(?:not|no|non|never|without|nor|cannot|isn['’]t|aren['’]t|don['’]t|free of)(?:\s+\p{L}+){0,2}\s*$/u.test(
    text.slice(Math.max(0, place - 30), place).replace(/^.*[.;]/, ''),
  );
