import type { AttributeValue } from '../../../subgraphs/common/model/attribute.ts';
import type { Wanted } from '../extraction-request.ts';
import type { Passages } from './passages.ts';

/** How a value was found, and so how much it is worth. */
export const confidence = {
  /** Beside a label that is the attribute's name. */
  label: 95,
  /** In a phrase that only this attribute is put in. */
  pattern: 80,
  /** It fits and nothing else does. */
  fuzzy: 60,
} as const;

export interface Finding {
  value: NonNullable<AttributeValue>;
  confidence: number;
  source: string | null;
  quote: string;
}

/** Everything the material says about an attribute of one type; contradictions are settled by the caller. */
export type Finder = (attribute: Wanted, passages: Passages) => Finding[];

/**
 * The best finding: per source the surest ones if they agree, then the surest source, the earlier one on a tie.
 * A source that contradicts itself says nothing.
 */
export function settle(findings: readonly Finding[]): Finding | undefined {
  const candidates = [...Map.groupBy(findings, ({ source }) => source).values()].flatMap((ofSource) => {
    const top = Math.max(...ofSource.map((each) => each.confidence));
    const [first, ...rest] = ofSource.filter((each) => each.confidence === top);
    return first && rest.every((each) => same(first.value, each.value)) ? [first] : [];
  });
  return candidates.reduce<Finding | undefined>(
    (best, each) => (best && best.confidence >= each.confidence ? best : each),
    undefined,
  );
}

/** Converted and rounded numbers may differ by a hair: 1.2 kg is 2.65 lb. */
export const same = (a: Finding['value'], b: Finding['value']) =>
  typeof a === 'number' && typeof b === 'number'
    ? Math.abs(a - b) <= 0.02 * Math.max(Math.abs(a), Math.abs(b))
    : String(a) === String(b);
