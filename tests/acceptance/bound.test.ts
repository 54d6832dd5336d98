import { scoreOf } from '../../subgraphs/catalog/acceptance/accept-values.ts';
import { Evidence } from '../../subgraphs/catalog/acceptance/acceptance-plan.ts';
import {
  chooseThreshold,
  isRefuted,
  type Judged,
  Samples,
  sampleFor,
  wealthOf,
} from '../../subgraphs/catalog/acceptance/precision-bound.ts';
import { BREAKING_WEALTH, findBreak } from '../../subgraphs/catalog/acceptance/rule-audit.ts';
import { randomOf } from '../cluster/random.ts';

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

/** Whether one test alone rejects, with an error of 5 %. */
const isProven = (judged: number, right: number, precision: number) => wealthOf(judged, right, precision) >= 20;

describe.each([0.8, 0.9, 0.95, 0.98])('at precision %d', (precision) => {
  test.each([100, 300, 1_000])('a threshold from %d judged values is wrong in at most one of twenty cases', (count) => {
    const random = randomOf(count + precision * 1_000);
    for (const { slope, offset } of CURVES) {
      const chanceOf = (score: number) => Math.max(0, Math.min(1, precision + offset + (slope * (score - 70)) / 100));
      let wrong = 0;
      for (let run = 0; run < RUNS; run += 1) {
        const judged = simulate(count, chanceOf, random);
        const bound = chooseThreshold(new Samples([{ judged, written: [] }]), precision);
        if (bound && precisionFrom(bound.threshold, chanceOf) < precision) wrong += 1;
      }
      expect(wrong / RUNS).toBeLessThan(TOO_MANY);
    }
  });

  test('no threshold is ever wrong in more than one of twenty cases, also if people judge and look until there is one', () => {
    const random = randomOf(precision * 5_000);
    for (const slope of [0, 0.5]) {
      const chanceOf = (score: number) => Math.max(0, Math.min(1, precision - 0.003 + (slope * (score - 70)) / 100));
      let wrong = 0;
      for (let run = 0; run < RUNS / 2; run += 1) {
        const judged: Judged[] = [];
        for (let look = 0; look < 60; look += 1) {
          judged.push(...simulate(20, chanceOf, random));
          const bound = chooseThreshold(new Samples([{ judged, written: [] }]), precision);
          if (!bound || precisionFrom(bound.threshold, chanceOf) >= precision) continue;
          wrong += 1;
          break;
        }
      }
      expect(wrong / (RUNS / 2)).toBeLessThan(TOO_MANY);
    }
  });

  test('values that are a little too often wrong are rarely ever proven, also if people judge until they are', () => {
    const random = randomOf(precision * 3_000);
    let proven = 0;
    for (let run = 0; run < RUNS; run += 1) {
      let right = 0;
      for (let judged = 1; judged <= 1_000; judged += 1) {
        if (random() < precision - 0.001) right += 1;
        if (!isProven(judged, right, precision)) continue;
        proven += 1;
        break;
      }
    }
    expect(proven / RUNS).toBeLessThan(TOO_MANY);
  });

  test('values that are wrong half as often as permitted are proven', () => {
    const count = 4 * sampleFor(precision, 1);
    const right = Math.round(count * (1 - (1 - precision) / 2));
    expect(chooseThreshold(new Samples([{ judged: [{ score: 80, count, right }], written: [] }]), precision)).toEqual({
      threshold: 80,
      judged: count,
      right,
    });
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
    expect(chooseThreshold(new Samples([{ judged, written }]), precision)).toMatchObject({ threshold: 90 });
  });
});

test('a shared rule counts each attribute by its share of all values, and excludes one that was hardly judged', () => {
  const attribute = (count: number, right: number, all: number) => {
    const judged = [{ score: 80, count, right }];
    return { judged, pooled: judged, written: [{ score: 80, count: all }], open: [], hasBroken: false };
  };
  const plans = (attributes: [string, ReturnType<typeof attribute>][]) => {
    const evidence = new Evidence(new Map(attributes));
    return Object.fromEntries(attributes.map(([slug]) => [slug, evidence.plan(slug, 0.9)]));
  };
  const even = plans([
    ['color', attribute(50, 50, 100)],
    ['size', attribute(50, 48, 100)],
  ]);
  expect(even).toMatchObject({ color: { threshold: 80, judged: 100, right: 98 }, size: { threshold: 80 } });
  // Most values are sizes, of which few were judged.
  const uneven = plans([
    ['color', attribute(90, 90, 100)],
    ['size', attribute(10, 6, 10_000)],
  ]);
  expect(uneven.color).toMatchObject({ threshold: 80, judged: 90 });
  expect(uneven.size).toMatchObject({ isPooled: true, reviewsNeeded: expect.any(Number) });
  expect(uneven.size).not.toHaveProperty('threshold');
});

test('a shared rule accepts no scores of an attribute that nobody judged, however the others are', () => {
  const own = (judged: Judged[], written: { score: number; count: number }[]) => ({
    judged,
    pooled: judged,
    written,
    open: [],
    hasBroken: false,
  });
  const evidence = new Evidence(
    new Map([
      // Its values of high scores are often wrong, and none was judged.
      [
        'color',
        own(
          [{ score: 60, count: 200, right: 100 }],
          [
            { score: 60, count: 200 },
            { score: 90, count: 133 },
          ],
        ),
      ],
      ['size', own([{ score: 90, count: 236, right: 236 }], [{ score: 90, count: 236 }])],
    ]),
  );
  expect(evidence.plan('color', 0.95)).toMatchObject({ isPooled: true });
  expect(evidence.plan('color', 0.95)).not.toHaveProperty('threshold');
});

test('nothing is accepted at a precision of 1, without judgments, or if most values are wrong', () => {
  expect(chooseThreshold(new Samples([{ judged: [{ score: 90, count: 5_000, right: 5_000 }], written: [] }]), 1)).toBeUndefined();
  expect(chooseThreshold(new Samples([]), 0.9)).toBeUndefined();
  expect(chooseThreshold(new Samples([{ judged: [{ score: 90, count: 500, right: 200 }], written: [] }]), 0.9)).toBeUndefined();
});

test('audits break a rule soon after its precision falls, and rarely before', () => {
  const random = randomOf(7);
  const audits = (count: number, chance: number) =>
    Array.from({ length: count }, () => ({ isRight: random() < chance, precision: 0.95 }));
  /** The number of audits at which the rule breaks, by bisection. */
  const endOf = (all: ReturnType<typeof audits>) => {
    let [holds, breaks] = [0, all.length];
    while (breaks - holds > 1) {
      const middle = Math.floor((holds + breaks) / 2);
      if (findBreak(all.slice(0, middle)) === undefined) holds = middle;
      else breaks = middle;
    }
    return breaks;
  };
  const delays = Array.from({ length: 200 }, () => endOf([...audits(200, 0.98), ...audits(400, 0.78)]) - 200);
  expect(delays.filter((delay) => delay <= 0).length).toBeLessThan(20);
  expect(delays.toSorted((a, b) => a - b)[100]).toBeLessThan(40);
  // Just at the promised precision, a break is on average no earlier than this.
  const ends = Array.from({ length: 100 }, () => endOf(audits(1_000, 0.95)));
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

test('all precisions of a report share the samples of an attribute, and those of the shared rule', () => {
  let readings = 0;
  const written = Object.assign(
    Array.from({ length: 101 }, (_, score) => ({ score, count: 1_000 })),
    {
      *[Symbol.iterator]() {
        readings += 1;
        for (let at = 0; at < written.length; at += 1) yield written[at]!;
      },
    },
  );
  const judged = [
    { score: 90, count: 12, right: 12 },
    { score: 96, count: 3, right: 3 },
  ];
  const own = { judged, pooled: judged, written, open: written, hasBroken: false };
  const evidence = new Evidence(new Map([...'abcdefghij'].map((slug) => [slug, own])));
  const plans = [0.8, 0.85, 0.9, 0.92, 0.94].map((precision) => evidence.plan('a', precision));
  expect(plans.map(({ isPooled, threshold }) => [isPooled, threshold])).toEqual(Array(5).fill([true, 90]));
  expect(readings).toBe(10);
});

test('a shared rule accepts no attribute whose own judgments refute it', () => {
  const attribute = (right: number, count = 30) => {
    const judged = [{ score: 80, count, right }];
    return { judged, pooled: judged, written: [{ score: 80, count: 100 }], open: [], hasBroken: false };
  };
  const others = Array.from({ length: 12 }, (_, at): [string, ReturnType<typeof attribute>] => [`good-${at}`, attribute(30)]);
  const evidence = (bad: ReturnType<typeof attribute>) => new Evidence(new Map([...others, ['bad', bad]]));
  expect(evidence(attribute(15)).plan('good-3', 0.9)).toMatchObject({ threshold: 80, isPooled: true });
  const refuted = evidence(attribute(15)).plan('bad', 0.9);
  expect(refuted).toMatchObject({ isPooled: true, reviewsNeeded: null });
  expect(refuted).not.toHaveProperty('threshold');
  // Three of 30 are as many wrong values as permitted.
  expect(evidence(attribute(27)).plan('bad', 0.9)).toMatchObject({ threshold: 80 });
});

test.each([0.9, 0.95])(
  'judgments that hold the precision %d rarely ever refute it, however often they are looked at',
  (precision) => {
    const random = randomOf(precision * 7_000);
    let refuted = 0;
    for (let run = 0; run < RUNS; run += 1) {
      let right = 0;
      for (let count = 1; count <= 500; count += 1) {
        if (random() < precision) right += 1;
        if (!isRefuted([{ score: 80, count, right }], precision)) continue;
        refuted += 1;
        break;
      }
    }
    expect(refuted / RUNS).toBeLessThan(TOO_MANY);
  },
);

test('judgments of low scores prove nothing for high ones of which none was judged', () => {
  const low = { score: 60, count: 300, right: 300 };
  const written = [
    { score: 60, count: 300 },
    { score: 95, count: 400 },
  ];
  const bound = (judged: Judged[]) => chooseThreshold(new Samples([{ judged, written }]), 0.9);
  expect(bound([low])).toBeUndefined();
  expect(bound([low, { score: 95, count: 9, right: 9 }])).toBeUndefined();
  expect(bound([low, { score: 95, count: 10, right: 10 }])).toMatchObject({ threshold: 60 });
});
