import type { Word } from '../../../schema/words.ts';

interface Format {
  /** As a sentence without subject: `must be kebab-case`. */
  expected: string;
  fits(value: string): boolean;
  /** What counts as one word, where it is not what stands between spaces. */
  words?(value: string): string[];
  /** What counts as one entry. */
  entries?(value: string): string[];
}

/** Words that stay small inside a title. */
const SMALL = new Set('a an and as at but by for from in nor of on or the to vs via with'.split(' '));
/** Capital, or without case at all: `3D`, `& Co`. */
const startsHigh = (word: string) => !/^\P{L}*\p{Ll}/u.test(word);
const isTitle = (text: string) => text.split(/\s+/).every((word, at) => startsHigh(word) || (at > 0 && SMALL.has(word)));
const isLow = (text: string) => text === text.toLowerCase();
const entries = (text: string) => text.split(/\s*,\s*/);

/** How a text can be asked to be written, and how that is held. */
export const formats: Record<Word<'TextFormat'>, Format> = {
  'title-case': { expected: 'must be in Title Case', fits: isTitle },
  lowercase: { expected: 'must be in lower case', fits: isLow },
  'kebab-case': {
    expected: 'must be kebab-case: lower-case letters, digits and single hyphens',
    fits: (text) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text),
    words: (text) => text.split('-'),
  },
  keywords: {
    expected: 'must be different keywords in lower case, separated by commas',
    fits: (text) => isLow(text) && entries(text).every(Boolean) && new Set(entries(text)).size === entries(text).length,
    entries,
  },
  'html-section': {
    expected: 'must be wrapped in one div and have h2 and ul in it',
    fits: (html) => isOneDiv(html) && /<h2[\s>]/i.test(html) && /<ul[\s>]/i.test(html),
  },
};

/** Whether the div that opens the text is the one that ends it. */
function isOneDiv(html: string): boolean {
  if (!/^<div[\s>]/i.test(html) || !/<\/div>$/i.test(html)) return false;
  let depth = 0;
  for (const { 0: tag, index } of html.matchAll(/<\/?div\b[^>]*>/gi)) {
    depth += tag.startsWith('</') ? -1 : 1;
    if (depth === 0) return index + tag.length === html.length;
  }
  return false;
}
