import { Evidence } from '../../subgraphs/catalog/acceptance/acceptance-plan.ts';
import type { Judged, Written } from '../../subgraphs/catalog/acceptance/precision-bound.ts';
import { findBreak } from '../../subgraphs/catalog/acceptance/rule-audit.ts';
import { fitIsotonic } from '../../subgraphs/catalog/calibration/calibrate.ts';
import { mulberry } from './mulberry.ts';

/** A value that an evaluation found and scored. */
export interface ScoredValue {
  attribute: string;
  /** 0 to 100. */
  score: number;
  /** The stated confidence, 0 to 100. */
  stated: number;
  right: boolean;
}

/** The values of held-out halves that one method accepts. */
interface Outcome {
  /** Splits in which it accepted too many wrong values. */
  missed: number;
  /** Splits in which it accepted nothing. */
  empty: number;
  /** Mean share of accepted values. */
  coverage: number;
  /** Share of right values among all accepted ones. */
  precision: number | undefined;
}

export const SPLITS = 100;

/** Splits the values at random into judged and held-out halves, and compares rules with a fixed confidence and with calibration alone. */
export function compareMethods(
  values: readonly ScoredValue[],
  precision: number,
): Record<'rules' | 'fixed' | 'calibrated', Outcome> {
  const accepted = { rules: [] as Accepted[], fixed: [] as Accepted[], calibrated: [] as Accepted[] };
  for (let split = 0; split < SPLITS; split += 1) {
    const mixed = shuffle(values, split + 1);
    const [judged, rest] = [mixed.slice(0, mixed.length / 2), mixed.slice(mixed.length / 2)];
    const thresholdOf = thresholdsOf(evidenceOf(judged, values), precision);
    const calibrate = fitIsotonic(tally(judged, ({ stated }) => stated).map(({ score, ...each }) => ({ stated: score, ...each })));
    const choose = (isChosen: (value: ScoredValue) => boolean): Accepted => ({ chosen: rest.filter(isChosen), of: rest.length });
    accepted.rules.push(choose(({ attribute, score }) => score >= thresholdOf(attribute)));
    accepted.fixed.push(choose(({ stated }) => stated >= 90));
    accepted.calibrated.push(choose(({ stated }) => calibrate(stated) >= 100 * precision));
  }
  const { rules, fixed, calibrated } = accepted;
  return { rules: outcomeOf(rules, precision), fixed: outcomeOf(fixed, precision), calibrated: outcomeOf(calibrated, precision) };
}

interface Accepted {
  chosen: ScoredValue[];
  of: number;
}

function outcomeOf(splits: readonly Accepted[], precision: number): Outcome {
  const rightOf = (values: readonly ScoredValue[]) => values.filter(({ right }) => right).length;
  const all = splits.flatMap(({ chosen }) => chosen);
  return {
    missed: splits.filter(({ chosen }) => rightOf(chosen) < precision * chosen.length).length,
    empty: splits.filter(({ chosen }) => chosen.length === 0).length,
    coverage: splits.reduce((sum, { chosen, of }) => sum + chosen.length / of, 0) / splits.length,
    precision: all.length > 0 ? rightOf(all) / all.length : undefined,
  };
}

/** The acceptances while a model became worse. */
interface Drift {
  /** Values that were accepted before and after the model became worse, and how many of these were wrong. */
  before: number;
  after: number;
  wrong: number;
  audits: number;
  /** Whether it stopped. */
  isStopped: boolean;
}

/** Values of the stream after the drift. */
const STREAM = 5_000;
/** Right values become wrong with this probability, so that the model is right 20 points less often. */
const LOSS = 0.2;

/**
 * Judges all values, and then draws new ones from them with replacement. After the first half, each value is wrong 20 points more often.
 * A share of the accepted values is audited at once.
 */
export function simulateDrift(values: readonly ScoredValue[], precision: number, auditShare: number): Drift {
  const random = mulberry(precision * 1_000);
  const thresholdOf = thresholdsOf(evidenceOf(values, values), precision);
  const audits: { isRight: boolean; precision: number }[] = [];
  const drift: Drift = { before: 0, after: 0, wrong: 0, audits: 0, isStopped: false };
  const share = values.filter(({ right }) => right).length / values.length;
  for (let at = 0; at < 2 * STREAM && !drift.isStopped; at += 1) {
    const value = values[Math.floor(random() * values.length)]!;
    const isWorse = at >= STREAM;
    const right = value.right && !(isWorse && random() < LOSS / share);
    if (value.score < thresholdOf(value.attribute)) continue;
    if (random() < auditShare) {
      audits.push({ isRight: right, precision });
      drift.isStopped = findBreak(audits) !== undefined;
    } else if (isWorse) {
      drift.after += 1;
      if (!right) drift.wrong += 1;
    } else {
      drift.before += 1;
    }
  }
  drift.audits = audits.length;
  return drift;
}

/** The evidence that judgments of values give, as the product reads it from its tables. */
function evidenceOf(judged: readonly ScoredValue[], written: readonly ScoredValue[]): Evidence {
  const attributes = [...Map.groupBy(written, ({ attribute }) => attribute)].map(([attribute, all]) => {
    const own = tally(
      judged.filter((value) => value.attribute === attribute),
      ({ score }) => score,
    );
    const counts: Written[] = tally(all, ({ score }) => score);
    return [attribute, { judged: own, pooled: own, written: counts, open: [], hasBroken: false }] satisfies [string, object];
  });
  return new Evidence(new Map(attributes));
}

function thresholdsOf(evidence: Evidence, precision: number): (attribute: string) => number {
  const plans = [...evidence.attributes.keys()].map((slug) => [slug, evidence.plan(slug, precision).threshold] as const);
  const thresholds = new Map(plans);
  return (attribute) => thresholds.get(attribute) ?? Number.POSITIVE_INFINITY;
}

const tally = (values: readonly ScoredValue[], by: (value: ScoredValue) => number): Judged[] =>
  [...Map.groupBy(values, by)].map(([score, same]) => ({
    ...{ score, count: same.length },
    right: same.filter(({ right }) => right).length,
  }));

/** Fisher and Yates, with the same result for the same seed. */
function shuffle<T>(values: readonly T[], seed: number): T[] {
  const random = mulberry(seed);
  const mixed = [...values];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!];
  }
  return mixed;
}
