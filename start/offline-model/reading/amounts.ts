import { confidence, type Finder, type Finding, type RequestedAttribute } from './extraction-request.ts';
import type { Pair, Passages, Sentence } from './passages.ts';
import { labelsOf, matchLabel, placesOf, plain } from './synonyms.ts';
import { convert, dimensionOf, NUMBER, quantitiesIn, readNumber } from './units.ts';

/** The default attribute of an unlabeled amount, by dimension. */
const NATURAL: Record<string, string> = { weight: 'mass', capacity: 'volume', power: 'power', voltage: 'voltage' };

/** Words before amounts that do not describe the product itself. */
const FOREIGN =
  /\b(?:up to|at most|(?<!under )loads?|supports?|carries|payload|per|output|delivers|replaces|equivalent|equal to|shipping|shipped|package|packaging|packed|boxed|carton|gross|folded|rated for|tested (?:to|with))\b/;
const FOREIGN_AFTER = /^\s*(?:load|payload|equivalent|bulb)\b/;
const PART =
  /\b(?:oil|battery|batteries|charger|lid|case|box|cable|cord|bag|pouch|sack|stuff sack|seat|armrest|backrest|shade|poles?|pegs|drawers?|shelf|shelves|cup|display|base|lead|pocket|mat|cushion)(?: \p{L}+){0,1} $/u;

export const findNumbers: Finder = (attribute, passages) => [
  ...findAxis(attribute, passages),
  ...passages.pairs.flatMap((pair) => fromPair(attribute, pair)),
  ...passages.sentences.flatMap((sentence) => fromSentence(attribute, sentence)),
];

function fromPair(attribute: RequestedAttribute, { label, value, quote, source }: Pair): Finding[] {
  const match = matchLabel(label, attribute);
  if (match === 0) return [];
  const finding = (amount: number, sure: number): Finding => ({ value: amount, confidence: sure, source, quote });
  const amounts = amountsIn(value, attribute);
  if (amounts.length > 0) return amounts.map(({ amount }) => finding(amount, match));

  const [alone] = new RegExp(`^${NUMBER}$`).exec(value.trim()) ?? [];
  if (!alone) return [];
  const [, unit] = /\(([^()]+)\)/.exec(label) ?? [];
  const converted = unit && attribute.unit ? convert(readNumber(alone), unit, attribute.unit) : undefined;
  if (converted !== undefined) return [finding(converted, match)];
  // A number without a unit may be in the attribute's unit.
  return unit ? [] : [finding(readNumber(alone), attribute.unit ? Math.min(match, confidence.pattern) : match)];
}

function fromSentence(attribute: RequestedAttribute, { text, prose, source }: Sentence): Finding[] {
  const labels = labelsOf(attribute).filter((label) => label.length > 1);
  const natural = labels.some((label) => NATURAL[label] !== undefined && NATURAL[label] === dimensionOf(attribute.unit));
  return amountsIn(text, attribute).flatMap(({ amount, start, end }): Finding[] => {
    const { before, after } = clauseAround(text, start, end);
    const isForeign = FOREIGN.test(before) || FOREIGN_AFTER.test(after);
    if (isForeign && !labels.some((label) => FOREIGN.test(label))) return [];
    const clause = plain(`${before} ${text.slice(start, end)} ${after}`);
    const places = labels.flatMap((label) => placesOf(label, clause));
    if (places.some((place) => PART.test(clause.slice(0, place)))) return [];
    if (places.length > 0) return [{ value: amount, confidence: confidence.pattern, source, quote: text }];
    // List items may describe other things; prose and the name describe the product.
    return natural && (prose || source === null) ? [{ value: amount, confidence: confidence.fuzzy, source, quote: text }] : [];
  });
}

/** Amounts in the attribute's unit. If a text states several units (1.2 kg, 2.65 lb), the attribute's own unit comes first. */
function amountsIn(text: string, { unit }: RequestedAttribute): { amount: number; start: number; end: number }[] {
  if (!unit) return [];
  const found = quantitiesIn(text).flatMap((quantity) => {
    const amount = convert(quantity.amount, quantity.unit, unit);
    return amount === undefined ? [] : [{ ...quantity, amount, exact: amount === quantity.amount }];
  });
  return found.sort((a, b) => Number(b.exact) - Number(a.exact));
}

/** Maximum clause length; bounds the search in texts without punctuation. */
const REACH = 200;
const BREAK = /[,;()]\s|[,;()]$|\s[–—]\s|\b(?:and|but|while|whereas)\b/;

/** The normalized clause that contains an amount. */
function clauseAround(text: string, start: number, end: number): { before: string; after: string } {
  const before =
    text
      .slice(Math.max(0, start - REACH), start)
      .split(BREAK)
      .at(-1) ?? '';
  const [after = ''] = text.slice(end, end + REACH).split(BREAK);
  return { before: plain(before), after: plain(after) };
}

const AXES = { width: 'w', height: 'h', depth: 'd', length: 'l' } as const;
const UNIT = String.raw`(?:\s*(mm|cm|m|in|inches|"|″)(?![\p{L}\p{N}]))?`;
const AXIS = '(width|height|depth|length|[WHDL])';
const ONE = String.raw`(?:([WHDL])\s?)?(${NUMBER})${UNIT}\s*(?:\(?([WHDL])(?![\p{L}]|\s*[x×*/])\)?)?`;
const SIZES = new RegExp(String.raw`(?<![\p{L}\p{N}.])${ONE}\s*[x×*]\s*${ONE}(?:\s*[x×*]\s*${ONE})?`, 'giu');
const LEGEND = new RegExp(String.raw`(?<![\p{L}])${AXIS}\s*[x×*/]\s*${AXIS}(?:\s*[x×*/]\s*${AXIS})?(?![\p{L}])`, 'iu');
/** Matches 'H 180 cm, W 80 cm'. The unit is required; otherwise any single letter before a number would match. */
const LETTERED = new RegExp(
  String.raw`(?<![\p{L}\p{N}])([WHDL])[ :]{0,2}(${NUMBER})\s*(mm|cm|m|in|inches)(?![\p{L}\p{N}]|\s*[x×*])`,
  'gu',
);
/** Dimensions of the package or of the folded product are not product dimensions. */
const ELSEWHERE = /\b(?:packag\w*|packed|pack size|packing|folded|box|carton|shipping|parcel|seat|shade|display)\b/;

/** One dimension of '60 × 40 × 90 cm (W × D × H)' or 'W60 x H90 cm'. Without a legend the order is ambiguous, so there is no value. */
function findAxis(attribute: RequestedAttribute, { pairs, sentences }: Passages): Finding[] {
  const labels = labelsOf(attribute);
  const [, axis] = Object.entries(AXES).find(([name]) => labels.includes(name)) ?? [];
  const { unit: wanted } = attribute;
  if (!axis || !wanted) return [];

  // The label may contain the legend.
  const lines = [
    ...pairs.map((pair) => ({ ...pair, text: `${pair.label}: ${pair.value}` })),
    ...sentences.map((each) => ({ ...each, quote: each.text })),
  ];

  return lines.flatMap(({ text, quote, source }) => {
    if (ELSEWHERE.test(plain(text))) return [];
    const sure = /^[\p{L} ]*(?:dimension|size|measurement)/iu.test(text) ? confidence.label : confidence.pattern;
    return sidesIn(text).flatMap(({ name, amount, unit }) => {
      const value = name === axis ? convert(amount, unit ?? wanted, wanted) : undefined;
      return value === undefined ? [] : [{ value, confidence: sure, source, quote }];
    });
  });
}

interface Side {
  name: string | undefined;
  amount: number;
  unit: string | undefined;
}

function sidesIn(line: string): Side[] {
  const text = line.replace(/\s+/g, ' ');
  const legend = LEGEND.exec(text)?.slice(1);
  const sized = [...text.matchAll(SIZES)].flatMap((match) => {
    const sides = [0, 1, 2].map((at) => match.slice(1 + at * 4, 5 + at * 4)).filter(([, number]) => number);
    // 'W60 x H90 cm': the last unit applies to all dimensions.
    const lastUnit = sides.findLast(([, , unit]) => unit)?.[2];
    return sides.map(([before, number = '', unit, after], at) => side(before ?? after ?? legend?.[at], number, unit ?? lastUnit));
  });
  const lettered = [...text.matchAll(LETTERED)].map(([, letter, number = '', unit]) => side(letter, number, unit));
  return [...sized, ...lettered];
}

const side = (axis: string | undefined, number: string, unit: string | undefined): Side => ({
  name: axis?.[0]?.toLowerCase(),
  amount: readNumber(number),
  unit,
});

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(${MONTHS.join('|')})[a-z]*\\.?`;

/** Unambiguous date formats with the order of their parts; excludes `03/04/2024`. */
const FORMS: [RegExp, order: string][] = [
  [/\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b/g, 'ymd'],
  [/\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g, 'dmy'],
  [new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH},? (\\d{4})\\b`, 'gi'), 'dmy'],
  [new RegExp(`\\b${MONTH} (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, 'gi'), 'mdy'],
];

export const findDates: Finder = (attribute, { pairs, sentences }) => [
  ...pairs.flatMap(({ label, value, quote, source }) => {
    const match = matchLabel(label, attribute);
    return match === 0 ? [] : datesIn(value).map((date) => ({ value: date, confidence: match, quote, source }));
  }),
  ...sentences.flatMap(({ text, source }) => {
    const named = labelsOf(attribute).some((label) => placesOf(label, plain(text)).length > 0);
    return named ? datesIn(text).map((date) => ({ value: date, confidence: confidence.pattern, quote: text, source })) : [];
  }),
];

function datesIn(text: string): string[] {
  return FORMS.flatMap(([form, order]) =>
    [...text.matchAll(form)].map(([, ...parts]) => {
      const part = (name: string) => parts[order.indexOf(name)] ?? '';
      const month = MONTHS.indexOf(part('m').slice(0, 3).toLowerCase()) + 1 || Number(part('m'));
      return [part('y'), String(month).padStart(2, '0'), part('d').padStart(2, '0')].join('-');
    }),
  );
}
