import type { Wanted } from '../extraction-request.ts';
import { confidence, type Finding } from './finding.ts';
import { labelsOf } from './labels.ts';
import type { Passages } from './passages.ts';
import { convert, NUMBER, readNumber } from './units.ts';
import { plain } from './words.ts';

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
export function findAxis(attribute: Wanted, { pairs, sentences }: Passages): Finding[] {
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
