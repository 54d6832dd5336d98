import { isObject } from '../../schema/json.ts';
import type { AttributeRequest } from '../../subgraphs/common/model/attribute.ts';
import { ATTRIBUTES, type Material } from '../../subgraphs/common/model/prompt.ts';
import type { Message } from './protocol.ts';

/** An attribute as the prompt describes it. */
export type Wanted = Omit<AttributeRequest, 'id' | 'slug'> & { property: string };

export interface ExtractionRequest {
  attributes: Wanted[];
  material: Material;
}

/** What our own extraction asks, or nothing when the conversation is another program's. */
export function readExtraction(messages: readonly Message[]): ExtractionRequest | undefined {
  const [, listed] = messages.find(({ role }) => role === 'system')?.text.split(`\n${ATTRIBUTES}\n`) ?? [];
  const asked = messages.find(({ role }) => role === 'user')?.text;
  if (!listed || !asked) return undefined;
  try {
    // Pictures stand beside the text and are not read: the offline model has no eyes.
    const material: unknown = JSON.parse(asked);
    if (!isMaterial(material)) return undefined;
    return { attributes: listed.split('\n').map((line) => JSON.parse(line) as Wanted), material };
  } catch {
    return undefined;
  }
}

/** The pages of a question for offers, or nothing when the conversation is another program's. */
export function readMaterial(messages: readonly Message[]): Material | undefined {
  try {
    const material: unknown = JSON.parse(messages.find(({ role }) => role === 'user')?.text ?? '');
    return isMaterial(material) ? material : undefined;
  } catch {
    return undefined;
  }
}

const isMaterial = (value: unknown): value is Material =>
  isObject(value) && isObject(value.product) && isObject(value.existing) && Array.isArray(value.sources);
