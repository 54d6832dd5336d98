/** Judged values that share a score. The numbers may be fractions, because a value may count for less than one. */
export interface Judged {
  /** 0 to 100; a higher score means a value that is more likely to be right. */
  score: number;
  count: number;
  right: number;
}

/** All values that were written with a score, judged or not. */
export interface Written {
  score: number;
  count: number;
}

/** Values of one kind, such as those of an attribute. */
export interface Group {
  judged: readonly Judged[];
  written: readonly Written[];
}

/** The widest set of values whose precision was proven. */
export interface Bound {
  /** Values of at least this score belong to the set. */
  threshold: number;
  /** The judged values that prove it. */
  judged: number;
  right: number;
}

/** Probability that a set of values is ever chosen although its precision is lower than wanted. */
const RISK = 0.05;
/** Error rates on which the test bets, as shares of the rate that the precision permits. */
const BETS = [0.1, 0.3, 0.5];

/**
 * The chain of tests begins with the smallest number of judged values that can pass with this many wrong ones. A chain that begins where
 * every value must be right ends too often at its first test.
 */
const SPARE_WRONG = 1;
/** Each further test has this many times the judged values of the one before. Finer steps add chances to fail, and nothing else. */
const GROWTH = 1.3;
/** Larger samples are not considered. */
const MAX_SAMPLE = 10_000;

/**
 * Chooses the lowest threshold above which the share of right values is at least `precision`, with a probability of error of 5 %.
 * Undefined if there is no such threshold, or too few judged values.
 *
 * Fixed-sequence testing as in "Learn then Test" (Angelopoulos, Bates, Candès, Jordan, Lei; 2021): thresholds are tested from the highest to
 * the lowest, in an order that depends on scores and never on judgments. The first test that does not pass ends the chain, so the error of all
 * tests together is that of a single one. A test counts a sample in which high scores are not more frequent than among all written values
 * (`fairSample`), and each group has its share of the written values above the threshold (`sharedSample`).
 *
 * Each test may be repeated after every judgment, because people judge until it passes. It is a test by betting, as in "Active, anytime-valid
 * risk controlling prediction sets" (Xu, Karampatziakis, Mineiro; 2024).
 */
export function chooseThreshold(samples: Samples, precision: number): Bound | undefined {
  let chosen: Bound | undefined;
  for (const bound of testedBounds(samples, precision)) {
    if (!isProven(bound.judged, bound.right, precision)) break;
    chosen = bound;
  }
  return chosen;
}

/**
 * Whether the precision is proven. Each bet wins at right values and loses at wrong ones. If the precision is lower than wanted, no bet has an
 * expected gain, so their mean ever reaches `1 / RISK` with a probability of at most `RISK` (inequality of Ville).
 */
export function isProven(judged: number, right: number, precision: number): boolean {
  if (precision >= 1 || judged <= 0) return false;
  const permitted = 1 - precision;
  const wealth = BETS.map((share) =>
    Math.exp((judged - right) * Math.log(share) + right * Math.log((1 - share * permitted) / precision)),
  );
  return wealth.reduce((sum, each) => sum + each, 0) / BETS.length >= 1 / RISK;
}

/** The thresholds that are tested, in the order of the tests. Computes each when it is read, because most chains end early. */
export function* testedBounds(samples: Samples, precision: number): Generator<Bound> {
  let wanted = smallestSample(precision);
  if (samples.judged < wanted) return;
  for (const threshold of samples.thresholds) {
    const sample = samples.above(threshold);
    if (sample.judged < wanted) continue;
    yield { threshold, ...sample };
    wanted = Math.ceil(sample.judged * GROWTH);
  }
}

interface Sample {
  judged: number;
  right: number;
}

/** The samples of some groups. They do not depend on the precision, so each is taken once for all precisions of a report. */
export class Samples {
  readonly #levels: readonly (readonly Level[])[];
  readonly #taken = new Map<number, Sample>();
  /** The judged values of all groups. */
  readonly judged: number;
  /** The scores of judged values, highest first. */
  readonly thresholds: readonly number[];

  constructor(groups: readonly Group[]) {
    this.#levels = groups.map(levelsOf);
    const judged = this.#levels.flat().filter((level) => level.judged > 0);
    this.judged = judged.reduce((sum, level) => sum + level.judged, 0);
    this.thresholds = [...new Set(judged.map(({ score }) => score))].sort((one, other) => other - one);
  }

  /** The values from this score on that a test counts. */
  above(threshold: number): Sample {
    const known = this.#taken.get(threshold);
    if (known) return known;
    const sample = sharedSample(this.#levels.map((each) => each.filter(({ score }) => score >= threshold)));
    this.#taken.set(threshold, sample);
    return sample;
  }
}

interface Level {
  score: number;
  judged: number;
  right: number;
  written: number;
}

/**
 * People do not judge a random sample: they may judge only certain values. The sample takes the judged values of the lowest scores first,
 * and ends before the share of any range of high scores exceeds its share of the written values. If right values are at least as frequent
 * at higher scores, the sample underestimates the precision, and never overestimates it.
 */
function fairSample(levels: readonly Level[]): Sample {
  const all = levels.reduce((sum, level) => sum + level.written, 0);
  let limit = levels.reduce((sum, level) => sum + level.judged, 0);
  let [judgedBelow, writtenBelow] = [0, 0];
  for (const level of levels) {
    judgedBelow += level.judged;
    writtenBelow += level.written;
    // Judged values up to this score must be at least as frequent in the sample as among the written values.
    if (writtenBelow > 0 && writtenBelow < all) limit = Math.min(limit, (judgedBelow * all) / writtenBelow);
  }
  let rest = limit;
  const sample = { judged: 0, right: 0 };
  for (const level of levels) {
    const count = Math.min(rest, level.judged);
    if (count <= 0) continue;
    sample.judged += count;
    // Each value of a part of a level counts for less than one, which weakens a bet and never improves its expectation.
    sample.right += (level.right * count) / level.judged;
    rest -= count;
  }
  return sample;
}

/**
 * The sample of several groups: each counts by its share of the written values, however many of them were judged. A group without judged values
 * proves nothing, and leaves no sample.
 */
function sharedSample(groups: readonly (readonly Level[])[]): Sample {
  const samples = groups
    .filter((levels) => levels.length > 0)
    .map((levels) => ({ written: levels.reduce((sum, level) => sum + level.written, 0), ...fairSample(levels) }));
  if (samples.length === 1) return { judged: samples[0]!.judged, right: samples[0]!.right };
  const share = Math.min(...samples.map(({ judged, written }) => judged / written));
  const shared = { judged: 0, right: 0 };
  for (const { judged, right, written } of samples) {
    if (judged === 0) continue;
    shared.judged += share * written;
    shared.right += (share * written * right) / judged;
  }
  return shared;
}

/** All scores, lowest first. Values that were judged were also written. */
function levelsOf({ judged, written }: Group): Level[] {
  const levels = new Map<number, Level>();
  const levelOf = (score: number) => {
    const level = levels.get(score) ?? { score, judged: 0, right: 0, written: 0 };
    levels.set(score, level);
    return level;
  };
  for (const { score, count } of written) levelOf(score).written += count;
  for (const { score, count, right } of judged) {
    const level = levelOf(score);
    level.judged += count;
    level.right += right;
    level.written = Math.max(level.written, level.judged);
  }
  return [...levels.values()].sort((a, b) => a.score - b.score);
}

const smallest = new Map<number, number>();

/** The sample that the first test needs. Remembers those of some precisions, because each attribute needs it. */
export function smallestSample(precision: number): number {
  const known = smallest.get(precision);
  if (known !== undefined) return known;
  if (smallest.size >= 1_000) smallest.clear();
  const size = sampleFor(precision, SPARE_WRONG);
  smallest.set(precision, size);
  return size;
}

/**
 * The smallest sample that proves the precision although it has this number, or this share, of wrong values. Infinite for a precision of 1.
 */
export function sampleFor(precision: number, wrong: number | { share: number }): number {
  if (precision >= 1) return Number.POSITIVE_INFINITY;
  const wrongOf = (count: number) => (typeof wrong === 'number' ? wrong : (1 - wrong.share) * count);
  let count = 1;
  while (count < MAX_SAMPLE && !isProven(count, count - wrongOf(count), precision)) count += Math.ceil(count / 100);
  return count;
}
