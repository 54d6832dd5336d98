import type { Word } from '../../../schema/words.ts';

interface Format {
  /** The requirement, as a sentence without a subject: `must be kebab-case`. */
  expected: string;
  fits(value: string): boolean;
  /** Splits the text into words; by spaces when absent. */
  words?(value: string): string[];
  /** Splits the text into entries. */
  entries?(value: string): string[];
}

/** Words that stay in lower case inside a title. */
const LOWERCASE_WORDS = new Set('a an and as at but by for from in nor of on or the to vs via with'.split(' '));
/** Starts with a capital, or with a character without case: `3D`, `& Co`. */
const isCapitalized = (word: string) => !/^\P{L}*\p{Ll}/u.test(word);
const isTitle = (text: string) =>
  text.split(/\s+/).every((word, at) => isCapitalized(word) || (at > 0 && LOWERCASE_WORDS.has(word)));
const isLowerCase = (text: string) => text === text.toLowerCase();
const entries = (text: string) => text.split(',').map((each) => each.trim());

/** The text formats with their checks. */
export const formats: Record<Word<'TextFormat'>, Format> = {
  'title-case': { expected: 'must be in Title Case', fits: isTitle },
  lowercase: { expected: 'must be in lower case', fits: isLowerCase },
  'kebab-case': {
    expected: 'must be kebab-case: lower-case letters, digits and single hyphens',
    fits: (text) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text),
    words: (text) => text.split('-'),
  },
  keywords: {
    expected: 'must be different keywords in lower case, separated by commas',
    fits: (text) => isLowerCase(text) && entries(text).every(Boolean) && new Set(entries(text)).size === entries(text).length,
    entries,
  },
  'html-section': {
    expected: 'must be wrapped in one div and have h2 and ul in it',
    fits: (html) => isOneDiv(html) && /<h2[\s>]/i.test(html) && /<ul[\s>]/i.test(html),
  },
};

/** Whether one div wraps the whole text. */
function isOneDiv(html: string): boolean {
  if (!/^<div[\s>]/i.test(html) || !/<\/div>$/i.test(html)) return false;
  let depth = 0;
  for (const { 0: tag, index } of html.matchAll(/<\/?div\b[^<>]*>/gi)) {
    depth += tag.startsWith('</') ? -1 : 1;
    if (depth === 0) return index + tag.length === html.length;
  }
  return false;
}
