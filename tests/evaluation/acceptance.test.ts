import { compareMethods, type ScoredValue, SPLITS, simulateDrift } from '../../start/evaluation/splits.ts';

/** 2,400 values of three attributes: of two scores, right 98 and 60 times out of 100. All state the same confidence. */
const values = Array.from({ length: 2_400 }, (_, at): ScoredValue => {
  const isHigh = at % 2 === 0;
  const place = Math.floor(at / 2) % 100;
  return { attribute: ['color', 'size', 'shape'][at % 3]!, score: isHigh ? 80 : 40, stated: 92, right: place < (isHigh ? 98 : 60) };
});

test('rules accept the values whose score proves the precision, where a fixed confidence accepts all', () => {
  const { rules, fixed, calibrated } = compareMethods(values, 0.9);
  expect(rules.missed).toBeLessThanOrEqual(5);
  expect(rules.coverage).toBeCloseTo(0.5, 1);
  expect(rules.precision).toBeGreaterThan(0.95);
  expect(fixed).toMatchObject({ missed: SPLITS, coverage: 1 });
  expect(calibrated.coverage).toBe(0);
});

test('a precision that no values prove accepts nothing and misses nothing', () => {
  expect(compareMethods(values, 0.999).rules).toMatchObject({ missed: 0, empty: SPLITS, coverage: 0 });
});

test('audits stop the acceptance when the model becomes worse', () => {
  const drift = simulateDrift(values, 0.9, 0.05);
  expect(drift).toMatchObject({ isStopped: true });
  expect(drift.before).toBeGreaterThan(1_000);
  expect(drift.wrong).toBeLessThan(300);
});
