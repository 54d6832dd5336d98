import { isObject } from '../../../schema/json.ts';
import type { AttributeContent } from '../../../subgraphs/catalog/attributes/attribute-content.ts';
import type { AttributeRequest } from '../../../subgraphs/catalog/extraction/extraction-prompt.ts';
import { ATTRIBUTES, type Material } from '../../../subgraphs/catalog/extraction/extraction-prompt.ts';
import type { PromptMessage } from '../openai-protocol.ts';
import type { Passages } from './passages.ts';

/** An attribute in the prompt. */
export type RequestedAttribute = Omit<AttributeRequest, 'id' | 'slug'> & { property: string };

export interface ExtractionRequest {
  attributes: RequestedAttribute[];
  material: Material;
}

/** Parse an extraction request of this service; undefined for requests of other programs. */
export function readExtraction(messages: readonly PromptMessage[]): ExtractionRequest | undefined {
  const [, listed] = messages.find(({ role }) => role === 'system')?.text.split(`\n${ATTRIBUTES}\n`) ?? [];
  const request = messages.find(({ role }) => role === 'user')?.text;
  if (!listed || !request) return undefined;
  try {
    // The offline model ignores images.
    const material: unknown = JSON.parse(request);
    if (!isMaterial(material)) return undefined;
    return { attributes: listed.split('\n').map((line) => JSON.parse(line) as RequestedAttribute), material };
  } catch {
    return undefined;
  }
}

/** The pages of an offer request; undefined for requests of other programs. */
export function readMaterial(messages: readonly PromptMessage[]): Material | undefined {
  try {
    const material: unknown = JSON.parse(messages.find(({ role }) => role === 'user')?.text ?? '');
    return isMaterial(material) ? material : undefined;
  } catch {
    return undefined;
  }
}

const isMaterial = (value: unknown): value is Material =>
  isObject(value) && isObject(value.product) && isObject(value.existing) && Array.isArray(value.sources);

/** Confidence of a value by the way it was found. */
export const confidence = {
  /** The value follows a label with the attribute's name. */
  label: 95,
  /** The value is in a phrase that is specific to this attribute. */
  pattern: 80,
  /** The value is the only candidate of its type. */
  fuzzy: 60,
} as const;

export interface Finding {
  value: NonNullable<AttributeContent>;
  confidence: number;
  source: string | null;
  quote: string;
}

/** Finds all candidates for an attribute of one type; the caller resolves contradictions. */
export type Finder = (attribute: RequestedAttribute, passages: Passages) => Finding[];

/**
 * The best finding: the most confident ones per source if they agree, then the most confident source, then the earlier one.
 * A source that contradicts itself does not count.
 */
export function bestFinding(findings: readonly Finding[]): Finding | undefined {
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

/** Converted and rounded numbers may differ slightly: 1.2 kg is 2.65 lb. */
export const same = (a: Finding['value'], b: Finding['value']) =>
  typeof a === 'number' && typeof b === 'number'
    ? Math.abs(a - b) <= 0.02 * Math.max(Math.abs(a), Math.abs(b))
    : String(a) === String(b);
