import { isObject } from '../../schema/json.ts';
import type { AttributeRequest } from '../../subgraphs/catalog/extraction/attribute.ts';
import { ATTRIBUTES, type Material } from '../../subgraphs/catalog/extraction/prompt.ts';
import type { Message } from './protocol.ts';

/** An attribute in the prompt. */
export type Wanted = Omit<AttributeRequest, 'id' | 'slug'> & { property: string };

export interface ExtractionRequest {
  attributes: Wanted[];
  material: Material;
}

/** Parse an extraction request of this service; undefined for requests of other programs. */
export function readExtraction(messages: readonly Message[]): ExtractionRequest | undefined {
  const [, listed] = messages.find(({ role }) => role === 'system')?.text.split(`\n${ATTRIBUTES}\n`) ?? [];
  const asked = messages.find(({ role }) => role === 'user')?.text;
  if (!listed || !asked) return undefined;
  try {
    // The offline model ignores images.
    const material: unknown = JSON.parse(asked);
    if (!isMaterial(material)) return undefined;
    return { attributes: listed.split('\n').map((line) => JSON.parse(line) as Wanted), material };
  } catch {
    return undefined;
  }
}

/** The pages of an offer request; undefined for requests of other programs. */
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
