import { confidence, type RequestedAttribute } from './extraction-request.ts';

/** Synonyms of common attributes. */
const SYNONYMS: Record<string, string> = {
  weight: 'net weight, item weight, product weight, unit weight, mass, weigh, weighing',
  width: 'wide, breadth, w',
  height: 'high, tall, h',
  depth: 'deep, d',
  length: 'long, l',
  capacity: 'volume, holds, tank capacity, bowl capacity, jug capacity, tank, usable volume',
  power: 'wattage, rated power, power consumption, power input, motor, motor power, draws, consumes',
  voltage: 'battery voltage, rated voltage',
  color: 'colour, colourway, finish, available in, comes in, offered in, finished in',
  material: 'materials, made of, made from, construction, fabric',
  warranty: 'guarantee, guaranteed, manufacturer warranty',
  'release date':
    'released, launched, launch date, on sale since, available since, available from, first available, date first available, market launch',
  'water resistant':
    'waterproof, splash proof, splashproof, showerproof, shower proof, water repellent, weatherproof, rainproof, watertight',
  'dishwasher safe': 'suitable for the dishwasher, goes in the dishwasher, dishwasher proof',
  'power source': 'power supply, powered by, runs on, energy source',
  certifications:
    'certificates, certified, approvals, standards, complies with, conforms to, tested to, meets, approved, certification',
};

/** Words that do not change the meaning of a label. */
const HARMLESS = new Set(
  'total overall net item product tool device approx about rated nominal maximum max and manufacturer s limited unit cm mm m kg g lb in w l ml year month main'.split(
    ' ',
  ),
);

/** 'Weight (kg) incl. battery' is the weight. */
const bare = (label: string) =>
  plain(label)
    .replace(/\([^()]*\)/g, '')
    .replace(/\b(?:incl|including|excl|excluding|with|without)\b.*/, '')
    .replace(/^(?:is|has) /, '')
    .replace(/[^\p{L}\p{N} ]/gu, '')
    .trim();
const known = Object.entries(SYNONYMS).map(([name, others]) => [name, ...others.split(', ')]);
const remembered = new Map<string, string[]>();

/** Labels of an attribute: its name, its key, quoted phrases in its prompt, and synonyms. */
export function labelsOf({ name, property, prompt, categoryPrompt }: RequestedAttribute): string[] {
  const key = [name, property, prompt, categoryPrompt].join('\n');
  const labels = remembered.get(key) ?? makeLabels(name, property, `${prompt} ${categoryPrompt ?? ''}`);
  // All products of a job have the same attributes; entries of other jobs expire.
  if (remembered.size > 1000) remembered.clear();
  remembered.set(key, labels);
  return labels;
}

function makeLabels(name: string, property: string, prompt: string): string[] {
  const own = [name, property].map(bare);
  const synonyms = known.filter((group) => group.some((each) => own.includes(each))).flat();
  return [...new Set([...own, ...quoted(prompt).map(bare), ...synonyms])].filter(Boolean);
}

/** Quoted words before 'means' are synonyms of an option, not labels. */
const quoted = (prompt: string) =>
  [...prompt.replace(MEANING, '').matchAll(/["“]([^"”]{2,40})["”]/g)].map(([, phrase = '']) => phrase);

const MEANING = /((?:["“][^"”]{1,80}["”](?:,? or |, | and )?){1,20}) means? ([^.;,]+)/g;

/** Synonyms of options in the prompt: '"cordless" or "rechargeable" means Battery'. */
export function meaningsOf({ prompt, categoryPrompt }: RequestedAttribute): [phrase: string, option: string][] {
  return [...`${prompt} ${categoryPrompt ?? ''}`.matchAll(MEANING)].flatMap(([, phrases = '', option = '']) =>
    [...phrases.matchAll(/["“]([^"”]{1,80})["”]/g)].map(([, phrase = '']): [string, string] => [phrase, option.trim()]),
  );
}

/** Match score of a label: equal words, or all words among others. 0 for no match. */
export function matchLabel(label: string, attribute: RequestedAttribute): number {
  const labels = labelsOf(attribute);
  const given = bare(label);
  if (labels.includes(given)) return confidence.label;
  const tokens = tokensOf(given);
  const asTokens = labels.map(tokensOf).filter((each) => each.length > 0);
  if (asTokens.some((each) => each.join(' ') === tokens.join(' '))) return confidence.label;
  // Numbers require an exact match: 'battery weight' is not the weight.
  const strict = attribute.type === 'number';
  const within = asTokens.some(
    (each) =>
      each.every((token) => tokens.includes(token)) &&
      (!strict || tokens.every((token) => each.includes(token) || HARMLESS.has(token))),
  );
  return within ? confidence.fuzzy : 0;
}

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

/** Frequent words, which carry little meaning. */
export const COMMON = new Set(
  'a an and any are as at be but by can could do does for from has have how i if in is it me my no not of on or our please so tell that the their there this to was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** The words of a text that carry its meaning. */
export const meaningfulWords = (text: string) => new Set(tokensOf(text).filter((word) => !COMMON.has(word)));
