import { binomialTail, chooseThreshold, type Judged, RISK, sampleFor } from '../../subgraphs/catalog/acceptance/precision-bound.ts';
import { BREAKING_WEALTH, findBreak } from '../../subgraphs/catalog/acceptance/rule-audit.ts';
import { scoreOf } from '../../subgraphs/catalog/acceptance/value-score.ts';

/** Mulberry32: the same numbers in each run. */
function seeded(seed: number): () => number {
  let state = Math.floor(seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SCORES = [20, 40, 55, 70, 80, 90, 97];

/** Values whose chance to be right rises with the score, judged or not. */
function simulate(count: number, chanceOf: (score: number) => number, random: () => number): Judged[] {
  const judged = new Map(SCORES.map((score) => [score, { score, count: 0, right: 0 }]));
  for (let made = 0; made < count; made += 1) {
    const value = judged.get(SCORES[Math.floor(random() * SCORES.length)]!)!;
    value.count += 1;
    if (random() < chanceOf(value.score)) value.right += 1;
  }
  return [...judged.values()].filter((each) => each.count > 0);
}

/** The true precision of all values from a threshold on, which are equally frequent at each score. */
function precisionFrom(threshold: number, chanceOf: (score: number) => number): number {
  const chosen = SCORES.filter((score) => score >= threshold).map(chanceOf);
  return chosen.reduce((sum, each) => sum + each, 0) / chosen.length;
}

const RUNS = 400;
/** Above this share of 400 runs, a true error rate of 5 % has a probability below one in ten thousand. */
const TOO_MANY = 0.1;
/** Values that are always above, always below, and around the wanted precision. */
const CURVES = [0.3, 0.7, 1].flatMap((slope) => [-0.02, 0, 0.02].map((offset) => ({ slope, offset })));

describe.each([0.8, 0.9, 0.95, 0.98])('at precision %d', (precision) => {
  test.each([100, 300, 1_000])('a threshold from %d judged values is wrong in at most one of twenty cases', (count) => {
    const random = seeded(count + precision * 1_000);
    for (const { slope, offset } of CURVES) {
      const chanceOf = (score: number) => Math.max(0, Math.min(1, precision + offset + (slope * (score - 70)) / 100));
      let wrong = 0;
      for (let run = 0; run < RUNS; run += 1) {
        const judged = simulate(count, chanceOf, random);
        const bound = chooseThreshold(judged, [], precision);
        if (bound && precisionFrom(bound.threshold, chanceOf) < precision) wrong += 1;
      }
      expect(wrong / RUNS).toBeLessThan(TOO_MANY);
    }
  });

  test('the smallest sample passes the test, and a smaller one does not', () => {
    const least = sampleFor(precision, 0);
    expect(binomialTail(least, least, precision)).toBeLessThanOrEqual(RISK);
    expect(binomialTail(least - 1, least - 1, precision)).toBeGreaterThan(RISK);
  });

  test('a sample of certain values does not prove the others', () => {
    const judged = [
      { score: 90, count: 2_000, right: 2_000 },
      { score: 50, count: 10, right: 6 },
    ];
    const written = [
      { score: 90, count: 2_000 },
      { score: 50, count: 8_000 },
    ];
    expect(chooseThreshold(judged, written, precision)).toMatchObject({ threshold: 90 });
  });
});

test('the tail of the binomial distribution is exact', () => {
  expect(binomialTail(10, 10, 0.5)).toBeCloseTo(0.5 ** 10, 12);
  expect(binomialTail(10, 8, 0.5)).toBeCloseTo(56 / 1_024, 12);
  expect(binomialTail(5_000, 4_900, 0.98)).toBeCloseTo(0.52, 1);
  expect(binomialTail(10, 0, 0.9)).toBe(1);
});

test('nothing is accepted at a precision of 1, without judgments, or if most values are wrong', () => {
  expect(chooseThreshold([{ score: 90, count: 5_000, right: 5_000 }], [], 1)).toBeUndefined();
  expect(chooseThreshold([], [], 0.9)).toBeUndefined();
  expect(chooseThreshold([{ score: 90, count: 500, right: 200 }], [], 0.9)).toBeUndefined();
});

test('audits break a rule soon after its precision falls, and rarely before', () => {
  const random = seeded(7);
  const audits = (count: number, chance: number) =>
    Array.from({ length: count }, () => ({ isRight: random() < chance, precision: 0.95 }));
  const delays = Array.from({ length: 200 }, () => {
    const drifted = [...audits(200, 0.98), ...audits(400, 0.78)];
    for (let end = 1; end <= drifted.length; end += 1) if (findBreak(drifted.slice(0, end)) !== undefined) return end - 200;
    return 400;
  });
  expect(delays.filter((delay) => delay <= 0).length).toBeLessThan(20);
  expect(delays.toSorted((a, b) => a - b)[100]).toBeLessThan(40);
  // Just at the promised precision, a break is on average no earlier than this.
  const ends = Array.from({ length: 100 }, () => {
    const steady = audits(1_000, 0.95);
    const found = steady.findIndex((_, at) => findBreak(steady.slice(0, at + 1)) !== undefined);
    return found === -1 ? 1_000 : found;
  });
  expect(ends.reduce((sum, each) => sum + each, 0) / ends.length).toBeGreaterThan(BREAKING_WEALTH);
});

test('similar products and a second reading move the score of a value', () => {
  const found = { confidence: 90 };
  const plain = scoreOf(found, 'Red', []);
  expect(scoreOf(found, 'Red', ['red', 'RED', 'blue'])).toBeGreaterThan(plain);
  expect(scoreOf(found, 'Red', ['blue', 'green'])).toBeLessThan(plain);
  expect(scoreOf({ ...found, agreed: true }, 'Red', [])).toBeGreaterThan(plain);
  expect(scoreOf({ ...found, agreed: false }, 'Red', [])).toBeLessThan(plain);
  expect(scoreOf({ confidence: 40, statedConfidence: 90 }, 'Red', [])).toBe(plain);
  expect(scoreOf({ confidence: 0 }, 'Red', ['Red'])).toBe(0);
});
