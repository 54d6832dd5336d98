import type { Line } from './lines.ts';

/** What the job found for one line, by attribute; what it did not find is not there. */
export type Found = Record<string, { value: string; confidence: number }>;

/** What came of one line: values, or why the job could not read it. */
export type Result = { found: Found } | { error: string };

/** Counts of attributes: found and right, found but wrong, there but not found (or found wrong). */
export interface Tally {
  right: number;
  wrong: number;
  missed: number;
}

/** How often values of one band of confidence are wrong. */
export interface Band {
  name: string;
  from: number;
  count: number;
  wrong: number;
}

export interface Score {
  overall: Tally;
  categories: Map<string, Tally>;
  bands: Band[];
}

/** Whether a value is one of the right ones. */
export const isRight = (given: string, right: readonly string[]) => right.some((value) => normalize(value) === normalize(given));

/** Compare what was found with what is right. Only attributes that a line says something about are judged. */
export function score(lines: readonly Pick<Line, 'category' | 'expected'>[], found: readonly Found[]): Score {
  const overall = none();
  const categories = new Map<string, Tally>();
  const bands = [
    { name: '90–100', from: 90 },
    { name: '70–89', from: 70 },
    { name: '50–69', from: 50 },
    { name: '< 50', from: Number.NEGATIVE_INFINITY },
  ].map((band) => ({ ...band, count: 0, wrong: 0 }));
  for (const [index, { category, expected }] of lines.entries()) {
    const own = categories.get(category) ?? none();
    categories.set(category, own);
    for (const [attribute, values] of Object.entries(expected)) {
      const given = found[index]?.[attribute];
      const right = given !== undefined && isRight(given.value, values);
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

const none = (): Tally => ({ right: 0, wrong: 0, missed: 0 });

/** `24.2  Ounces` and `24.2ounces` are the same value. */
export const normalize = (value: string) =>
  value
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/(?<=\d) (?=[\p{L}%°"'])/gu, '');

/** Shares, or nothing where there is nothing to divide by. */
export function ratios({ right, wrong, missed }: Tally): { precision?: number; recall?: number; f1?: number } {
  const share = (part: number, whole: number) => (whole > 0 ? part / whole : undefined);
  return {
    precision: share(right, right + wrong),
    recall: share(right, right + missed),
    f1: share(2 * right, 2 * right + wrong + missed),
  };
}
