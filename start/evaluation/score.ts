import type { AnnotatedText } from './lines.ts';

/** Values that the job found in one line, by attribute. */
export type EvaluatedValues = Record<string, { value: string; confidence: number; statedConfidence: number; score?: number }>;

/** Result of one line: its values and the id of its item, or the reason of the failure. */
export type Result = { found: EvaluatedValues; itemId: string } | { error: string };

/** Numbers of attributes: true positives, false positives, false negatives (a wrong value counts as both). */
export interface MatchCounts {
  right: number;
  wrong: number;
  missed: number;
}

/** Number of values, and of wrong values, in one confidence range. */
export interface Band {
  name: string;
  from: number;
  count: number;
  wrong: number;
}

export interface Score {
  overall: MatchCounts;
  categories: Map<string, MatchCounts>;
  bands: Band[];
}

const BANDS = [
  { name: '90–100', from: 90 },
  { name: '70–89', from: 70 },
  { name: '50–69', from: 50 },
  { name: '< 50', from: Number.NEGATIVE_INFINITY },
];

/** Whether a value is one of the correct values. */
export const isCorrect = (given: string, right: readonly string[]) => right.some((value) => normalize(value) === normalize(given));

/** Compare found values with expected values. Only annotated attributes count. */
export function score(lines: readonly Pick<AnnotatedText, 'category' | 'expected'>[], found: readonly EvaluatedValues[]): Score {
  const overall = none();
  const categories = new Map<string, MatchCounts>();
  const bands = BANDS.map((band) => ({ ...band, count: 0, wrong: 0 }));
  for (const [index, { category, expected }] of lines.entries()) {
    const own = categories.get(category) ?? none();
    categories.set(category, own);
    for (const [attribute, values] of Object.entries(expected)) {
      const given = found[index]?.[attribute];
      const right = given !== undefined && isCorrect(given.value, values);
      for (const tally of [overall, own]) {
        if (given && right) tally.right += 1;
        else if (given) tally.wrong += 1;
        if (!right && values.length > 0) tally.missed += 1;
      }
      const band = given && bands.find(({ from }) => given.confidence >= from)!;
      if (band) band.count += 1;
      if (band && !right) band.wrong += 1;
    }
  }
  return { overall, categories, bands };
}

const none = (): MatchCounts => ({ right: 0, wrong: 0, missed: 0 });

/** Normalizes `24.2  Ounces` and `24.2ounces` to the same value. */
export const normalize = (value: string) =>
  value
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/(?<=\d) (?=[\p{L}%°"'])/gu, '');

/** Precision, recall and F1; undefined where the denominator is zero. */
export function ratios({ right, wrong, missed }: MatchCounts): { precision?: number; recall?: number; f1?: number } {
  const share = (part: number, whole: number) => (whole > 0 ? part / whole : undefined);
  return {
    precision: share(right, right + wrong),
    recall: share(right, right + missed),
    f1: share(2 * right, 2 * right + wrong + missed),
  };
}

type ConfidenceOf = (each: EvaluatedValues[string]) => number;

/** The annotated values that were found: their confidence, and 100 if they are right or else 0. */
const judge = (lines: readonly Pick<AnnotatedText, 'expected'>[], found: readonly EvaluatedValues[], confidenceOf: ConfidenceOf) =>
  lines.flatMap(({ expected }, index) =>
    Object.entries(expected).flatMap(([attribute, values]) => {
      const given = found[index]?.[attribute];
      return given ? [{ confidence: confidenceOf(given), right: isCorrect(given.value, values) ? 100 : 0 }] : [];
    }),
  );

/** Mean difference, in points, between the confidence of annotated values and the share of right ones, weighted by bands of ten points. */
export function calibrationError(
  lines: readonly Pick<AnnotatedText, 'expected'>[],
  found: readonly EvaluatedValues[],
  confidenceOf: ConfidenceOf,
): number | undefined {
  const judged = judge(lines, found, confidenceOf);
  const bands = Map.groupBy(judged, ({ confidence }) => Math.min(9, Math.floor(confidence / 10)));
  const differences = [...bands.values()].map((band) =>
    Math.abs(band.reduce((sum, { confidence, right }) => sum + confidence - right, 0)),
  );
  return judged.length > 0 ? differences.reduce((sum, each) => sum + each, 0) / judged.length : undefined;
}

/** Mean confidence and share of right values, in points, of one range of confidence. */
export interface Reliability {
  name: string;
  count: number;
  confidence: number;
  right: number;
}

/** The reliability of each range that has annotated values, highest first. */
export function reliability(
  lines: readonly Pick<AnnotatedText, 'expected'>[],
  found: readonly EvaluatedValues[],
  confidenceOf: ConfidenceOf,
): Reliability[] {
  const judged = judge(lines, found, confidenceOf);
  const byBand = Map.groupBy(judged, ({ confidence }) => BANDS.find(({ from }) => confidence >= from)!.name);
  return BANDS.flatMap(({ name }) => {
    const band = byBand.get(name) ?? [];
    const mean = (of: (each: (typeof band)[number]) => number) => band.reduce((sum, each) => sum + of(each), 0) / band.length;
    return band.length === 0
      ? []
      : [{ name, count: band.length, confidence: mean((each) => each.confidence), right: mean(({ right }) => right) }];
  });
}
