import { type EnumValue, enums } from '../../../schema/enums.ts';
import { isObject, type JsonObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import { HANDOFF_TOOL } from '../handoff/handoff-tool.ts';
import { isLanguage, languageOf, languages } from '../language.ts';
import { TICKET_TOOL } from '../tickets/ticket-tool.ts';

/** A reason can name all calls of a case. */
const MAX_REASON = 1_000;

type Kind = EnumValue<'TestCheckKind'>;

/** One thing that must hold. The fields that its kind does not use are null. */
export interface Check {
  kind: Kind;
  text: string | null;
  number: number | null;
  unit: string | null;
  tool: string | null;
  arguments: JsonObject | null;
}

/** A call of a tool in a test. */
export interface RecordedCall {
  tool: string;
  arguments: JsonObject;
  answer: EnumValue<'TestAnswer'>;
  output: unknown;
  error: string | null;
}

/** One message of the visitor, and the reply. */
export interface RecordedTurn {
  question: string;
  reply: string;
  calls: readonly RecordedCall[];
  sources: readonly { title: string | null; url: string | null }[];
  /** Whether the reply says that nothing answers the question. */
  declined: boolean;
  durationMs: number;
  /** Milliseconds to the first character; null without text. */
  firstTextMs: number | null;
}

/** A conversation of a test. */
export interface Recorded {
  turns: readonly RecordedTurn[];
  credits: number;
}

type Field = Exclude<keyof Check, 'kind'>;

interface Rule {
  /** The fields that the kind needs, and those that it may have. */
  needs?: readonly Field[];
  may?: readonly Field[];
  /** Either of these is needed. */
  either?: readonly Field[];
  /** A fault of the values of the fields. */
  fault?(check: Check): string | false;
  /** Why the check does not hold; null if it does. */
  failure(check: Check, recorded: Recorded): string | null;
}

const lastOf = ({ turns }: Recorded): RecordedTurn => turns.at(-1)!;
const callsIn = ({ turns }: Recorded): RecordedCall[] => turns.flatMap(({ calls }) => calls);
/** The calls that a chat would have sent, or asked about. */
const acceptedIn = (recorded: Recorded): RecordedCall[] => callsIn(recorded).filter(({ answer }) => answer !== 'refused');
const isPositive = ({ number }: Check) => !(number! > 0) && 'number must be above 0';
const orNothing = (names: readonly string[]): string => (names.length > 0 ? names.join(', ') : 'nothing');

/** The kinds of checks. None of them needs a model. */
const rules: Record<Kind, Rule> = {
  states: {
    either: ['text', 'number'],
    may: ['unit'],
    failure: (check, recorded) => (isStated(check, lastOf(recorded).reply) ? null : 'The reply does not state it.'),
  },
  omits: {
    either: ['text', 'number'],
    may: ['unit'],
    failure: (check, { turns }) => (turns.some(({ reply }) => isStated(check, reply)) ? 'A reply states it.' : null),
  },
  cites: {
    needs: ['text'],
    failure({ text }, { turns }) {
      const sources = turns.flatMap((turn) => turn.sources);
      if (sources.some((source) => isSource(source, text!))) return null;
      return `The sources are ${orNothing(sources.map(({ title, url }) => url ?? title ?? ''))}.`;
    },
  },
  calls: {
    needs: ['tool'],
    may: ['arguments'],
    failure({ tool, arguments: expected }, recorded) {
      const all = acceptedIn(recorded);
      const calls = all.filter((call) => call.tool === tool);
      if (calls.length === 0 && callsIn(recorded).some((call) => call.tool === tool)) return 'All calls of it were refused.';
      if (calls.length === 0) return `The calls are ${orNothing(all.map((call) => call.tool))}.`;
      if (!expected || calls.some((call) => contains(call.arguments, expected))) return null;
      return `The arguments are ${calls.map((call) => JSON.stringify(call.arguments)).join(', ')}.`;
    },
  },
  not_calls: {
    may: ['tool'],
    failure({ tool }, recorded) {
      const calls = callsIn(recorded).filter((call) => tool === null || call.tool === tool);
      return calls.length > 0 ? `It calls ${calls.map((call) => call.tool).join(', ')}.` : null;
    },
  },
  asks_approval: {
    may: ['tool'],
    failure({ tool }, recorded) {
      const asked = callsIn(recorded).filter(({ answer }) => answer === 'approval');
      return asked.some((call) => tool === null || call.tool === tool)
        ? null
        : `It asks to approve ${orNothing(asked.map((call) => call.tool))}.`;
    },
  },
  hands_over: {
    failure: (_, recorded) =>
      acceptedIn(recorded).some(({ tool }) => tool === HANDOFF_TOOL || tool === TICKET_TOOL) ? null : 'It asks no person.',
  },
  answers: {
    failure(_, recorded) {
      const { declined, reply } = lastOf(recorded);
      return !declined && reply !== '' ? null : 'The reply says that it does not know.';
    },
  },
  declines: { failure: (_, recorded) => (lastOf(recorded).declined ? null : 'The reply answers the question.') },
  language: {
    needs: ['text'],
    fault: ({ text }) => !isLanguage(text!) && `text must be one of ${languages.join(', ')}`,
    failure({ text }, recorded) {
      const found = languageOf(lastOf(recorded).reply);
      return found === text ? null : `The language is ${found ?? 'not known'}.`;
    },
  },
  seconds: {
    needs: ['number'],
    fault: isPositive,
    failure({ number }, { turns }) {
      const longest = Math.max(...turns.map(({ durationMs }) => durationMs)) / 1_000;
      return longest <= number! ? null : `A reply took ${longest.toFixed(1)} seconds.`;
    },
  },
  credits: {
    needs: ['number'],
    fault: isPositive,
    failure: ({ number }, { credits }) => (credits <= number! ? null : `It cost ${credits} credits.`),
  },
};

const fields: readonly Field[] = ['text', 'number', 'unit', 'tool', 'arguments'];

/** Faults of checks that callers sent; each sentence starts with the path. */
export function* checkFaults(checks: readonly Check[], path: string): Generator<string> {
  for (const [index, check] of checks.entries()) {
    const { needs = [], may = [], either = [], fault } = rules[check.kind];
    const at = `${path}[${index}]`;
    const missing = needs.filter((name) => isMissing(check[name]));
    const extra = fields.filter((name) => !isMissing(check[name]) && ![...needs, ...may, ...either].includes(name));
    if (missing.length > 0) yield `${at}.${missing[0]} is required for the kind ${check.kind}`;
    else if (extra.length > 0) yield `${at}.${extra[0]} must not be set for the kind ${check.kind}`;
    else if (either.length > 0 && either.filter((name) => !isMissing(check[name])).length !== 1)
      yield `${at} must have either ${either.join(' or ')} for the kind ${check.kind}`;
    else if (check.unit !== null && check.number === null) yield `${at}.unit must not be set without a number`;
    else if (check.number !== null && !Number.isFinite(check.number)) yield `${at}.number must be a finite number`;
    else {
      const wrong = fault?.(check);
      if (wrong) yield `${at}.${wrong}`;
    }
  }
}

const isMissing = (value: unknown): boolean => value === null || value === undefined || value === '';

/** The outcome of a check. */
export interface CheckOutcome {
  check: Check;
  passed: boolean;
  /** Why it does not hold; null if it does. */
  reason: string | null;
}

/** The outcomes of checks, without a model and without side effects. */
export const verdict = (checks: readonly Check[], recorded: Recorded): CheckOutcome[] =>
  checks.map((check) => {
    const reason = rules[check.kind].failure(check, recorded);
    return { check, passed: reason === null, reason: reason && truncate(reason, MAX_REASON) };
  });

export const isKind = (text: string): text is Kind => (enums.TestCheckKind.values as readonly string[]).includes(text);

/** Each line of a text is another way to state the fact. */
function isStated({ text, number, unit }: Check, reply: string): boolean {
  if (number !== null) return numbersIn(reply).some((found) => found.values.includes(number) && hasUnit(found, unit));
  const said = wordsOf(reply);
  return text!
    .split('\n')
    .map(wordsOf)
    .some((fact) => fact !== ' ' && said.includes(UNSPACED.test(fact) ? fact.trim() : fact));
}

/** Scripts without spaces between words. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]/u;

/** The letters and digits of a text in lower case, with one space around each word. */
const wordsOf = (text: string): string =>
  ` ${(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).join(' ')} `;

interface FoundNumber {
  /** The readings of the digits: `1,500` is 1500 in English and 1.5 in German. */
  values: readonly number[];
  before: string;
  after: string;
}

const NUMBER = /[-−]?\d[\d.,'’\u00a0\u202f]{0,30}\d|[-−]?\d/g;

/** The numbers of a text. */
const numbersIn = (text: string): FoundNumber[] =>
  [...text.matchAll(NUMBER)].map((found) => ({
    values: readingsOf(found[0]),
    before: text.slice(Math.max(0, found.index - 8), found.index).trimEnd(),
    after: text.slice(found.index + found[0].length).slice(0, 40),
  }));

function readingsOf(written: string): number[] {
  const sign = /^[-−]/.test(written) ? -1 : 1;
  const digits = written.replace(/^[-−]/, '').replace(/['’\u00a0\u202f]/g, '');
  // Each mark may group thousands or start the decimals.
  const readings = [digits.replaceAll(',', ''), digits.replaceAll('.', '').replace(',', '.')].map(Number);
  return [...new Set(readings.filter(Number.isFinite))].flatMap((each) => (sign < 0 ? [-each, each] : [each]));
}

const symbols: Record<string, string> = {
  '€': 'eur',
  $: 'usd',
  '£': 'gbp',
  '¥': 'jpy',
  '%': 'percent',
  prozent: 'percent',
  euro: 'eur',
  '"': 'inch',
  '″': 'inch',
  in: 'inch',
  zoll: 'inch',
};

function hasUnit({ before, after }: FoundNumber, unit: string | null): boolean {
  if (unit === null || unit === '') return true;
  const follows = /^[\s\u00a0-]{0,2}([\p{L}\p{M}µ°]+(?:[²³/]\p{L}{0,3})?|[€$£¥%"″°]\p{L}?)/u.exec(after)?.[1];
  const leads = /([€$£¥]|[A-Z]{3})$/.exec(before)?.[1];
  return [follows, leads].some((found) => found !== undefined && isSameUnit(found, unit));
}

function isSameUnit(found: string, unit: string): boolean {
  const [a, b] = [found, unit].map((each) => each.normalize('NFKC').trim());
  if (a === b) return true;
  // Milli and mega differ in their case only.
  if (a!.length <= 3 && a!.slice(1) === b!.slice(1) && a!.toLowerCase().startsWith('m')) return false;
  const [c, d] = [a!, b!].map((each) => symbols[each.toLowerCase()] ?? each.toLowerCase());
  // Inflections of a long word share its beginning.
  return c === d || (c!.length > 3 && d!.length > 3 && c!.slice(0, 4) === d!.slice(0, 4));
}

function isSource({ title, url }: { title: string | null; url: string | null }, expected: string): boolean {
  const [named, at] = [expected.trim().toLowerCase(), url && addressOf(url)];
  return (at !== null && at === addressOf(expected)) || title?.toLowerCase().includes(named) === true;
}

/** An address without what does not change the page. */
const addressOf = (url: string): string =>
  url
    .trim()
    .toLowerCase()
    .replace(/#.*$/s, '')
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '');

/** Whether a value has all that the expected one has. Objects may have more keys; lists are equal. */
export function contains(value: unknown, expected: unknown): boolean {
  if (isObject(expected)) return isObject(value) && Object.entries(expected).every(([key, each]) => contains(value[key], each));
  if (Array.isArray(expected))
    return Array.isArray(value) && value.length === expected.length && expected.every((each, at) => contains(value[at], each));
  return value === expected || (typeof expected !== 'object' && String(value).toLowerCase() === String(expected).toLowerCase());
}
