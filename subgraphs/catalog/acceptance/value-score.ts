import type { AttributeContent, Provenance } from '../attributes/attribute-content.ts';

/** Points of one unit of log-odds, and of two readings that agree. */
const [CONFIDENCE, NEIGHBORS, AGREEMENT] = [7, 5, 10];
/** A model that states certainty is not certain. */
const MAX_CONFIDENCE = 0.98;

type Signals = Pick<Provenance, 'confidence' | 'statedConfidence' | 'agreed'>;

/**
 * Ranks a value by how likely it is right, 0 to 100: 50 + 7 ln(c / (1 - c)) + 5 ln((same + 1) / (other + 1)) ± 10.
 *
 * - `c` is the stated confidence, which the evidence already lowers: an invented quote to at most 50 %, a value that no source contains to 20 %.
 * - `same` and `other` count the similar products that have the same value and another one.
 * - The last term applies if the sources were read twice: + if both readings agree.
 *
 * The weights are those of a logistic regression on one example set, rounded. The score ranks values; rules measure how often they are right.
 */
export function scoreOf(
  { confidence, statedConfidence = confidence, agreed }: Signals,
  value: AttributeContent,
  neighbors: readonly unknown[],
): number {
  if (value === null || confidence === 0) return 0;
  const chance = Math.min(MAX_CONFIDENCE, Math.max(1 - MAX_CONFIDENCE, statedConfidence / 100));
  const folded = fold(value);
  const same = neighbors.filter((each) => fold(each) === folded).length;
  const readings = agreed === undefined ? 0 : agreed ? AGREEMENT : -AGREEMENT;
  const points =
    CONFIDENCE * Math.log(chance / (1 - chance)) + NEIGHBORS * Math.log((same + 1) / (neighbors.length - same + 1)) + readings;
  return Math.round(Math.min(100, Math.max(0, 50 + points)));
}

/** Case and spaces do not matter. */
const fold = (value: unknown): string => JSON.stringify(value).normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
