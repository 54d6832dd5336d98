import type { Wanted } from '../extraction-request.ts';
import { confidence, type Finding } from './finding.ts';
import { labelsOf } from './labels.ts';
import type { Sentence } from './passages.ts';
import { convert, NUMBER, readNumber } from './units.ts';
import { plain } from './words.ts';

const AXES = { width: 'w', height: 'h', depth: 'd', length: 'l' } as const;
const UNIT = String.raw`(?:\s*(mm|cm|m|in|inches|"|″)(?![\p{L}\p{N}]))?`;
const AXIS = '(width|height|depth|length|[WHDL])';
const ONE = String.raw`(?:([WHDL])\s?)?(${NUMBER})${UNIT}\s*(?:\(?([WHDL])(?![\p{L}]|\s*[x×*/])\)?)?`;
const SIZES = new RegExp(String.raw`(?<![\p{L}\p{N}.])${ONE}\s*[x×*]\s*${ONE}(?:\s*[x×*]\s*${ONE})?`, 'giu');
const LEGEND = new RegExp(String.raw`(?<![\p{L}])${AXIS}\s*[x×*/]\s*${AXIS}(?:\s*[x×*/]\s*${AXIS})?(?![\p{L}])`, 'iu');
/** The size of the box, or folded away, is not the size of the product. */
const ELSEWHERE = /\b(?:packag\w*|packed|pack size|packing|folded|box|carton|shipping|parcel|seat|shade|display)\b/;

/** One side out of sizes like '60 × 40 × 90 cm (W × D × H)' or 'W60 x H90 cm'. Without a legend it is anybody's guess, so nothing. */
export function findAxis(attribute: Wanted, sentences: readonly Sentence[]): Finding[] {
  const labels = labelsOf(attribute);
  const [, axis] = Object.entries(AXES).find(([name]) => labels.includes(name)) ?? [];
  const { unit: wanted } = attribute;
  if (!axis || !wanted) return [];

  return sentences.flatMap(({ text, source }) => {
    if (ELSEWHERE.test(plain(text))) return [];
    const legend = LEGEND.exec(text)
      ?.slice(1)
      .map((each) => each?.[0]?.toLowerCase());
    const sure = /^[\p{L} ]*(?:dimension|size|measurement)/iu.test(text) ? confidence.label : confidence.pattern;
    return [...text.matchAll(SIZES)].flatMap((match) => {
      const sides = [0, 1, 2].map((at) => match.slice(1 + at * 4, 5 + at * 4)).filter(([, number]) => number);
      const lastUnit = sides.findLast(([, , unit]) => unit)?.[2];
      return sides.flatMap(([before, number = '', unit, after], at) => {
        const name = (before ?? after)?.toLowerCase() ?? (legend?.length ? legend[at] : undefined);
        const amount = name === axis ? convert(readNumber(number), unit ?? lastUnit ?? wanted, wanted) : undefined;
        return amount === undefined ? [] : [{ value: amount, confidence: sure, source, quote: text }];
      });
    });
  });
}
