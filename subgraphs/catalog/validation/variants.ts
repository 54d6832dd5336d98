import { isDeepStrictEqual } from 'node:util';
import type { Attribute } from '../attributes/entity.ts';
import type { AttributeContent } from '../attributes/values.ts';
import { aggregateVariants } from '../enrichment/aggregate.ts';
import type { FoundValue } from '../enrichment/ask-model.ts';
import type { Judgement } from '../extraction/validate-attributes.ts';
import type { Job } from '../jobs/entity.ts';
import type { WorkScope } from '../jobs/kind.ts';
import type { Product } from '../products/entity.ts';
import { resultOf } from './compare.ts';
import type { Comparison } from './results.ts';

/** Compares the values of a parent with the aggregate of its variants. Uses no model, web pages or images. */
export async function compareWithVariants(
  scope: WorkScope,
  _job: Job,
  parent: Product,
  attributes: Attribute[],
): Promise<Comparison> {
  const { values } = await aggregateVariants(scope, parent, attributes);
  const found = new Map(values.map((each) => [each.attribute.slug, each]));
  const results = attributes.map((attribute) => [
    attribute.slug,
    resultOf(parent, attribute, judge(parent.attributes[attribute.slug]!.value, found.get(attribute.slug)!)),
  ]);
  return { results: Object.fromEntries(results), images: [] };
}

function judge(existing: AttributeContent, { value, origin: { confidence, snippet } }: FoundValue): Judgement {
  if (value === null)
    return { isValid: true, confidence: 50, explanation: 'The variants do not agree on anything to compare with the value.' };
  const isValid = isDeepStrictEqual(comparable(existing), comparable(value));
  const verdict = isValid ? 'as the value says' : `and the value is ${shown(existing)}`;
  return { isValid, confidence, explanation: `The variants (${snippet}) give ${shown(value)}, ${verdict}.` };
}

/** Ignores case and the order of lists. A list of one equals its item. */
const comparable = (value: AttributeContent) => {
  const texts = [value].flat().map((each) => (typeof each === 'string' ? each.trim().toLowerCase() : each));
  return texts.length > 1 ? texts.map(String).sort() : texts;
};
const shown = (value: AttributeContent) => `“${[value].flat().join(', ')}”`;
