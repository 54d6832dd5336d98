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
/** The thresholds that are tested, lowest first. Never chosen by judgments, nor by the scores of the values. */
const LEVELS = Array.from({ length: 20 }, (_, at) => 5 * at);
/** Error rates on which the test against a precision bets, as multiples of the rate that the precision permits. */
export const HIGHER_BETS = [1.5, 3, 6];
/** Judged values that the upper half of a set must have. */
const MIN_UPPER = 10;
/** Larger samples are not considered. */
const MAX_SAMPLE = 10_000;

/**
 * Chooses the lowest threshold above which the share of right values is at least `precision`. Undefined if none is proven. The
 * probability that a rule ever has a threshold above which the share is lower is at most 5 %, however often it is computed and whenever people stop to
 * judge, as long as no judgment leaves the sample.
 *
 * Each level has a test by betting, as in "Active, anytime-valid risk controlling prediction sets" (Xu, Karampatziakis, Mineiro; 2024). Its
 * wealth grows at right values and shrinks at wrong ones, and has no expected gain if the precision above the level is lower than wanted. A level
 * is proven when the mean wealth of this level and of all lower ones, of which the others count as 0, reaches `1 / RISK`. If a higher score is not
 * less often right, the precision is also lower than wanted above all levels below one that is wrong. Then this mean of wealths has no expected gain
 * either (Vovk and Wang, "E-values: calibration, combination and applications", 2021), so it ever reaches `1 / RISK` with a probability of at most
 * `RISK` (inequality of Ville). Lower levels have smaller means, so this is the error of all levels together.
 *
 * A test counts a sample in which high scores are not more frequent than among all written values (`fairSample`), and each group has
 * its share of the written values above the threshold (`sharedSample`). Judgments of low scores speak for high ones only while some of these
 * were judged too (`isSeen`): values of a new model or supplier may have scores of their own.
 */
export function chooseThreshold(samples: Samples, precision: number): Bound | undefined {
  const level = provenLevel(samples, precision);
  return level === undefined ? undefined : { ...samples.above(level), threshold: samples.lowestFrom(level) };
}

/** @param times how often each judgment counts */
export function provenLevel(samples: Samples, precision: number, times = 1): number | undefined {
  let wealth = 0;
  return LEVELS.find((level) => {
    const { judged, right } = samples.above(level);
    wealth += wealthOf(times * judged, times * right, precision);
    return wealth / LEVELS.length >= 1 / RISK && samples.isSeen(level, times);
  });
}

/** The mean wealth of the bets after judgments. */
export function wealthOf(judged: number, right: number, precision: number): number {
  if (precision >= 1 || judged <= 0) return 0;
  const permitted = 1 - precision;
  const wealth = BETS.map((share) =>
    Math.exp((judged - right) * Math.log(share) + right * Math.log((1 - share * permitted) / precision)),
  );
  return wealth.reduce((sum, each) => sum + each, 0) / BETS.length;
}

/** Error rates higher than a precision permits, on which a test against it bets. */
export const higherRates = (precision: number): number[] =>
  HIGHER_BETS.map((multiple) => Math.min((2 - precision) / 2, (1 - precision) * multiple));

/**
 * Whether judged values refute the precision: a test by betting on higher error rates, whose wealth ever reaches `1 / RISK` with a
 * probability of at most `RISK` if the precision is reached.
 */
export function isRefuted(values: readonly Judged[], precision: number): boolean {
  const judged = values.reduce((sum, { count }) => sum + count, 0);
  const right = values.reduce((sum, value) => sum + value.right, 0);
  if (precision >= 1) return right < judged;
  const wealth = higherRates(precision).map((rate) =>
    Math.exp((judged - right) * Math.log(rate / (1 - precision)) + right * Math.log((1 - rate) / precision)),
  );
  return wealth.reduce((sum, each) => sum + each, 0) / wealth.length >= 1 / RISK;
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
  /** The scores of judged values, lowest first. */
  readonly #scores: readonly number[];

  constructor(groups: readonly Group[]) {
    this.#levels = groups.map(levelsOf);
    const judged = this.#levels.flat().filter((level) => level.judged > 0);
    this.judged = judged.reduce((sum, level) => sum + level.judged, 0);
    this.#scores = judged.map(({ score }) => score).sort((one, other) => one - other);
  }

  /** The lowest judged score from a level on. */
  lowestFrom(level: number): number {
    return this.#scores.find((score) => score >= level) ?? level;
  }

  /**
   * Whether values of the upper half of the scores from this one on were judged: at least one of each group, and ten of all groups together, or half
   * of their written values if these are fewer than twenty.
   * @param times how often each judgment counts
   */
  isSeen(threshold: number, times = 1): boolean {
    const upper = this.#levels.map((levels) => upperHalf(levels.filter(({ score }) => score >= threshold)));
    const [judged, written] = [sum(upper, (half) => half.judged), sum(upper, (half) => half.written)];
    return upper.every((half) => half.written === 0 || half.judged > 0) && times * judged >= Math.min(MIN_UPPER, written / 2);
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

const sum = <T>(all: readonly T[], of: (each: T) => number): number => all.reduce((total, each) => total + of(each), 0);

/** The levels of the highest scores that have half of the written values. */
function upperHalf(levels: readonly Level[]): { judged: number; written: number } {
  const half = sum(levels, ({ written }) => written) / 2;
  const upper = { judged: 0, written: 0 };
  for (const { judged, written } of levels.toReversed()) {
    if (upper.written >= half) break;
    upper.judged += judged;
    upper.written += written;
  }
  return upper;
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

/** The sample that usually proves the precision although one value is wrong. Remembers those of some precisions, because each attribute needs it. */
export function smallestSample(precision: number): number {
  const known = smallest.get(precision);
  if (known !== undefined) return known;
  if (smallest.size >= 1_000) smallest.clear();
  const size = sampleFor(precision, 1);
  smallest.set(precision, size);
  return size;
}

/** The smallest sample that proves the precision although it has this number of wrong values, if a quarter of the levels has it. Infinite for a precision of 1. */
export function sampleFor(precision: number, wrong: number): number {
  if (precision >= 1) return Number.POSITIVE_INFINITY;
  let count = wrong + 1;
  while (count < MAX_SAMPLE && wealthOf(count, count - wrong, precision) < 4 / RISK) count += Math.ceil(count / 100);
  return count;
}
