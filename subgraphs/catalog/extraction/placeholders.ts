import type { AttributeRequest } from './extraction-prompt.ts';

/** Texts that models and spreadsheets use for a missing value. "None" is not listed, because it is a value for allergens. */
const PLACEHOLDERS = new Set([
  ...['n/a', 'n.a', 'nan', 'null', 'undefined', 'unknown', 'unspecified', 'tbd', 'tbc', 'no data', 'no information'],
  ...[
    'specified',
    'stated',
    'available',
    'applicable',
    'provided',
    'given',
    'known',
    'found',
    'mentioned',
    'disclosed',
    'listed',
  ].map((word) => `not ${word}`),
]);
const MARKS = /^(?:[-–—]+|\?+)$/;

/** `(Not specified)` and `not  specified.` are the same placeholder. */
const normalize = (text: string) =>
  trimCharacters(text.trim().toLowerCase(), /["'“‘(<[]/, /["'”’)>\].]/)
    .replace(/[\s_]+/g, ' ')
    .trim();

/** Whether a text only states that a value is missing. */
export function isPlaceholder(text: string): boolean {
  const word = normalize(text);
  return PLACEHOLDERS.has(word) || MARKS.test(word);
}

type Described = Partial<Pick<AttributeRequest, 'name' | 'prompt' | 'categoryPrompt'>>;

const VERB = '(?:write|use|say|answer|reply|respond|put|return|enter|give|state|output|set|choose|mark|fill)';
const FILLER = '(?:\\s+(?!if\\b|when\\b|where\\b|unless\\b|not\\b|no\\b)\\w+){0,3}';
const NOT = "(?<!\\b(?:not|never|avoid)\\s+|n['’]t\\s+)";
const NEGATION = "\\b(?:not|never|avoid)\\b|n['’]t\\b";
/** Longer than all placeholders of words; marks may be longer. */
const MAX_WORD = 64;
const BARE = /[^\p{L}\p{N}/]/u;

/** Whether an attribute expects the placeholder as a value: its name contains the word, or its prompt requests or quotes it. */
export function wantsPlaceholder({ name = '', prompt, categoryPrompt }: Described, text: string): boolean {
  const word = normalize(text);
  if (word.length > MAX_WORD) return false;
  const escaped = word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const whole = `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`;
  const isWord = !BARE.test(word.replace(/\s/g, ''));
  if (isWord && new RegExp(whole, 'iu').test(name)) return true;
  const quoted = new RegExp(`["'“‘\`](?<word>${escaped})["'”’\`]|${NEGATION}|(?<end>[.;,])`, 'giu');
  // The lookahead first, so that the lookbehind scans the white space before a verb only.
  const requested = isWord ? new RegExp(`\\b(?=${VERB})${NOT}${VERB}${FILLER}\\s+${whole}`, 'iu') : undefined;
  return [prompt, categoryPrompt].some((words) => words && (isQuoted(words, quoted) || requested?.test(words)));
}

/** Whether a sentence quotes the word without a negation before it. */
function isQuoted(words: string, parts: RegExp): boolean {
  let isNegated = false;
  for (const { groups } of words.matchAll(parts)) {
    if (groups?.word !== undefined && !isNegated) return true;
    if (groups?.word === undefined) isNegated = groups?.end === undefined;
  }
  return false;
}

/**
 * Remove the characters that match `leading` from the start, and those that match `trailing` from the end. A pattern such as
 * `/,+$/` takes quadratic time for long runs inside a text.
 */
export function trimCharacters(text: string, leading: RegExp, trailing = leading): string {
  let [start, end] = [0, text.length];
  while (start < end && leading.test(text[start]!)) start += 1;
  while (end > start && trailing.test(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}
