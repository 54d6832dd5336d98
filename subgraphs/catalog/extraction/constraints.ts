import { sanitizeOrStrip } from '../../../platform/reading/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { attributeLimits } from '../../../schema/scalars.ts';
import { isCalendarDay, isStorable } from '../../../schema/text.ts';
import type { AttributeContent } from '../attributes/attribute-content.ts';
import type { AttributeRequest, Constraints, Rule } from './extraction-prompt.ts';
import { dateFrom, numberFrom } from './literals.ts';

/** The fault of a value, as a sentence without a subject ("must be a number"), or null. The value null is always valid. */
export function checkValue(rule: Rule, value: unknown): string | null {
  if (value === null) return null;
  return checks[rule.type](value, rule);
}

type Reading = { value: AttributeContent } | { fault: string };

/** Convert a value of a model to the type of its attribute, or return its fault. */
export function readValue(rule: DescribedRule, raw: unknown): Reading {
  const value = convert(rule, raw);
  if (value === null) return { value };
  const fault = checkValue(rule, value);
  return fault ? { fault } : { value: value as AttributeContent };
}

type Check = (value: unknown, rule: Rule) => string | null;

const checkText: Check = (value, { constraints }) => {
  if (typeof value !== 'string') return 'must be text';
  if (!isStorable(value)) return 'must not contain characters that cannot be stored';
  const { minLength, maxLength, format } = constraints;
  const fault = countFault('characters', [...value].length, minLength, maxLength) ?? checkCounts(value, constraints);
  return fault ?? (format && !formats[format].fits(value) ? formats[format].expected : null);
};

const splitWords = (value: string): string[] => value.replace(/<[^<>]*>/g, ' ').match(/\S+/g) ?? [];

const checkCounts = (value: string, { minWords, maxWords, minItems, maxItems, format }: Constraints) => {
  const { words = splitWords, entries } = (format && formats[format]) ?? {};
  const fault =
    minWords === undefined && maxWords === undefined ? null : countFault('words', words(value).length, minWords, maxWords);
  return fault ?? (entries ? countFault('entries', entries(value).length, minItems, maxItems) : null);
};

const checkLabel: Check = (value, { options }) => {
  if (typeof value !== 'string') return 'must be one of its options';
  if (options.length === 0) return checkText(value, { type: 'text', options, constraints: {} });
  return options.includes(value) ? null : `must be one of ${options.join(', ')}`;
};

const checks: Record<Rule['type'], Check> = {
  text: checkText,
  html: checkText,
  number(value, { constraints: { min, max } }) {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
    if (min !== undefined && value < min) return `must be at least ${min}`;
    if (max !== undefined && value > max) return `must be at most ${max}`;
    return null;
  },
  date: (value) => (typeof value === 'string' && isCalendarDay(value) ? null : 'must be a date as YYYY-MM-DD'),
  boolean: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
  select: checkLabel,
  multiselect(value, rule) {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length > attributeLimits.choices) return `must have at most ${attributeLimits.choices} entries`;
    if (new Set(value).size < value.length) return 'must not name anything twice';
    for (const each of value) {
      const fault = checkLabel(each, rule);
      if (fault) return fault;
    }
    return countFault('entries', value.length, rule.constraints.minItems, rule.constraints.maxItems);
  },
};

function countFault(unit: string, count: number, min = 0, max = Number.POSITIVE_INFINITY): string | null {
  if (count < min) return `must have at least ${min} ${unit} and has ${count}`;
  return count > max ? `must have at most ${max} ${unit} and has ${count}` : null;
}

/** A rule with the texts of its attribute, where known. */
type DescribedRule = Rule & Partial<Pick<AttributeRequest, 'name' | 'prompt' | 'categoryPrompt' | 'unit'>>;

/** Convert a value to the type of its attribute, if that preserves its meaning. Null means that no value was found. */
function convert(rule: DescribedRule, raw: unknown): unknown {
  const value = typeof raw === 'string' ? raw.trim() : raw;
  if (value === null || value === undefined || value === '' || isEmpty(rule, value)) return null;
  const converted = conversions[rule.type](value, rule);
  return converted === '' ? null : converted;
}

function isEmpty(rule: DescribedRule, value: unknown): boolean {
  if (typeof value !== 'string' || !isPlaceholder(value)) return false;
  return !isOption(rule, value) && !wantsPlaceholder(rule, value);
}

type Conversion = (value: unknown, rule: DescribedRule) => unknown;

const toText = (value: unknown) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value);

/** Find the option with this spelling, or the only option that differs in case. */
function toLabel(value: unknown, { options }: Rule): unknown {
  const label = toText(value);
  if (typeof label !== 'string') return label;
  const text = label.trim();
  if (options.includes(text)) return text;
  const [match, ambiguous] = options.filter((each) => each.toLowerCase() === text.toLowerCase());
  return match !== undefined && ambiguous === undefined ? match : text;
}

const isOption = (rule: Rule, value: string) => rule.options.includes(toLabel(value, rule) as string);

/** Drop labels outside the options, as long as one valid label remains. */
function toLabels(value: unknown, rule: DescribedRule): unknown {
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || list.length > attributeLimits.choices) return list;
  const labels = [...new Set(list.filter((each) => each !== null && !isEmpty(rule, each)).map((each) => toLabel(each, rule)))];
  const valid = rule.options.length > 0 ? labels.filter((each) => rule.options.includes(each as string)) : labels;
  if (valid.length > 0) return valid;
  return labels.length > 0 ? labels : null;
}

const conversions: Record<Rule['type'], Conversion> = {
  text: toText,
  html: (value) => (typeof value === 'string' ? sanitizeOrStrip(value).trim() : value),
  number: (value, { unit }) => (typeof value === 'string' ? (numberFrom(value, unit) ?? value) : value),
  date: (value) => (typeof value === 'string' ? (dateFrom(value) ?? value) : value),
  boolean(value) {
    if (typeof value !== 'string') return value;
    if (/^(yes|true)$/i.test(value)) return true;
    return /^(no|false)$/i.test(value) ? false : value;
  },
  select: toLabel,
  multiselect: toLabels,
};

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
const splitEntries = (text: string) => text.split(',').map((each) => each.trim());

/** The text formats with their checks. */
const formats: Record<EnumValue<'TextFormat'>, Format> = {
  'title-case': { expected: 'must be in Title Case', fits: isTitle },
  lowercase: { expected: 'must be in lower case', fits: isLowerCase },
  'kebab-case': {
    expected: 'must be kebab-case: lower-case letters, digits and single hyphens',
    fits: (text) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text),
    words: (text) => text.split('-'),
  },
  keywords: {
    expected: 'must be different keywords in lower case, separated by commas',
    fits: (text) =>
      isLowerCase(text) && splitEntries(text).every(Boolean) && new Set(splitEntries(text)).size === splitEntries(text).length,
    entries: splitEntries,
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
function wantsPlaceholder({ name = '', prompt, categoryPrompt }: Described, text: string): boolean {
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
