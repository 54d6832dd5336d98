/** Whether PostgreSQL can store the text. It rejects NUL characters and, in JSON, lone surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Removes NUL characters and replaces lone surrogates, which PostgreSQL cannot store. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The first `length` UTF-16 units of a text that PostgreSQL can store. Never splits a character that takes two units. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return storable(text);
  return storable(HIGH_SURROGATE.test(text[length - 1]!) ? text.slice(0, length - 1) : text.slice(0, length));
}

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** Whether the text contains an ASCII control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the check looks for control characters
export const hasControlCharacters = (text: string): boolean => /[\0-\x1f\x7f]/.test(text);

/** Whether the text has more than `max` code points, the unit of all limits and of JSON Schema. */
export const isLonger = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || [...text].length > max);

/** Truncates long texts to fit a budget of UTF-16 units. Short texts stay complete; long ones share the rest evenly. */
export function fitTexts(texts: readonly string[], budget: number): string[] {
  let rest = budget;
  const lengths = new Map<number, number>();
  const shortestFirst = [...texts.keys()].sort((a, b) => texts[a]!.length - texts[b]!.length);
  for (const [done, at] of shortestFirst.entries()) {
    const share = Math.min(texts[at]!.length, Math.floor(rest / (texts.length - done)));
    lengths.set(at, share);
    rest -= share;
  }
  return texts.map((text, at) => truncate(text, lengths.get(at)!));
}

/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', þ: 'th', ı: 'i' };

/**
 * A slug of ASCII letters, digits and hyphens, such as `seat-height` for "Seat height". Accents become plain letters. Empty for a name
 * without Latin letters and digits. The dashboard suggests the same slugs.
 */
export const slugOf = (name: string, maxLength: number): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]/g, (letter) => LETTERS[letter] ?? '-')
    .replace(/-+/g, '-')
    .slice(0, maxLength)
    .replace(/^-|-$/g, '');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A text as HTML or XML, also within the quotes of an attribute. */
export const escapeMarkup = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

const CONTROL = '\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029';
/** One line without control characters, and not blank. Also matches empty text. Takes linear time. */
export const ONE_LINE = new RegExp(`^(?:[^\\S${CONTROL}]*[^\\s${CONTROL}][^${CONTROL}]*)?$`);
export const NOT_BLANK = /\S/;

/** Patterns that have a sentence of their own, by their source. */
export const textPatterns: Readonly<Record<string, string>> = {
  [ONE_LINE.source]: 'One line without control characters, not blank.',
  [NOT_BLANK.source]: 'Not blank.',
};

/** Whether the calendar has the day `YYYY-MM-DD`. `Date.parse` takes February 30 for March 2. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Whether the calendar has the day, or the day of the time. The caller checks the form of the text. */
export const isCalendarTime = (text: string): boolean => isCalendarDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
