import { isObject } from '../../../schema/json.ts';

/** The person of a conversation, whose data a test case must not contain. */
export interface Person {
  name?: string | null;
  email?: string | null;
  phone?: string | null;
}

/** From the beginning of a word, so that a long one takes linear time; also in the address of a page, and with the wide sign of East Asian keyboards. */
const EMAIL = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,320}(?:[@＠]|%40)[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu;
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g;
/** Phone numbers with their marks, and runs of digits of cards and accounts. */
const LONG_NUMBER = /(?:\+|(?<![\p{L}\p{N}_]))\p{Nd}(?:[ ()/.-]{0,2}\p{Nd}){7,22}(?![\p{L}\p{N}_])/gu;
/** Dates and prices, which such digits can also be, and the hour of a time that follows a date. */
const HARMLESS = /^(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,6}\.\d{2})$/;
const HOUR = /^\d{1,2}$/;

/**
 * Replaces personal data in the texts of one conversation: e-mail addresses, phone numbers, IBANs, numbers of eight digits and more, and
 * the name of a known person. Equal values have equal replacements, so that texts and tool results still fit each other.
 */
export function redactor(person: Person = {}): <T>(value: T) => T {
  const replaced = new Map<string, string>();
  const replacement = (found: string, make: (count: number) => string, key = found) => {
    const known = replaced.get(key);
    if (known !== undefined) return known;
    const made = make(replaced.size + 1);
    replaced.set(key, made);
    return made;
  };
  const names = namesOf(person.name);
  const redactText = (text: string) => {
    const marked = text
      .replace(EMAIL, (found) => replacement(found, (n) => `visitor-${n}@example.com`, found.toLowerCase()))
      .replace(IBAN, (found) =>
        replacement(found, (n) => `DE00 0000 0000 0000 00${String(n).padStart(2, '0')}`, found.replaceAll(' ', '')),
      )
      .replace(LONG_NUMBER, (found, at: number, whole: string) =>
        isHarmless(found, whole.slice(at + found.length))
          ? found
          : replacement(found, (n) => digitsLike(found, n), digitsOf(found)),
      );
    return names ? marked.replace(names, (found) => (found.includes(' ') ? 'Alex Example' : 'Alex')) : marked;
  };
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return redactText(value);
    if (typeof value === 'number' && String(value).length >= 8 && Number.isInteger(value)) return Number(redactText(String(value)));
    if (Array.isArray(value)) return value.map(redact);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [redactText(key), redact(each)]))
      : value;
  };
  return <T>(value: T): T => redact(value) as T;
}

function isHarmless(found: string, rest: string): boolean {
  const parts = found.split(' ');
  const hasTime = parts.length > 1 && HOUR.test(parts.at(-1)!) && /^:\d/.test(rest);
  return (hasTime ? parts.slice(0, -1) : parts).every((part) => HARMLESS.test(part));
}

/** A number of the same form that belongs to nobody. */
function digitsLike(found: string, count: number): string {
  const made = `1${String(count).padStart(digitsOf(found).length - 1, '0')}`;
  let at = 0;
  return found.replace(/\p{Nd}/gu, () => made[at++]!);
}

const digitsOf = (text: string): string => text.replace(/\P{Nd}/gu, '');

/** The whole name and its longer parts, as words. */
function namesOf(name: string | null | undefined): RegExp | undefined {
  const whole = name?.trim();
  if (!whole) return undefined;
  const parts = [whole, ...whole.split(/\s+/).filter((part) => part.length > 2)];
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}
