import type { Wanted } from '../extraction-request.ts';
import { findAxis } from './axes.ts';
import { confidence, type Finder, type Finding } from './finding.ts';
import { labelsOf, matchLabel } from './labels.ts';
import type { Pair, Sentence } from './passages.ts';
import { convert, dimensionOf, NUMBER, quantitiesIn, readNumber } from './units.ts';
import { placesOf, plain } from './words.ts';

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

function fromPair(attribute: Wanted, { label, value, quote, source }: Pair): Finding[] {
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

function fromSentence(attribute: Wanted, { text, prose, source }: Sentence): Finding[] {
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
function amountsIn(text: string, { unit }: Wanted): { amount: number; start: number; end: number }[] {
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
