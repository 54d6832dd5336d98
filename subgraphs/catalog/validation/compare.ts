import { ProviderRefusal } from '../../../platform/model/index.ts';
import type { Attribute } from '../attributes/entity.ts';
import { withoutNulls } from '../enrichment/ask-model.ts';
import { collectSources } from '../enrichment/sources.ts';
import { type Judgement, validateAttributes } from '../extraction/validate-attributes.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure, type WorkScope } from '../jobs/kind.ts';
import type { Product } from '../products/entity.ts';
import type { Comparison, ValidationResult } from './results.ts';

/** Lets the model compare the values of a product with its current sources. */
export async function compareWithSources(
  scope: WorkScope,
  job: Job,
  product: Product,
  attributes: Attribute[],
): Promise<Comparison> {
  const { sources, images } = await collectSources(scope, job, product, { requests: 0 });
  const { name, sku, brand, category, manufacturer, mpn } = product;
  const { judgements } = await validateAttributes(scope.model, {
    tier: job.modelType,
    // A value keeps the type it was written with, even if the attribute has changed.
    attributes: attributes.map(({ constraints, ...each }) => ({
      ...each,
      type: product.attributes[each.slug]!.attributeType,
      constraints: withoutNulls(constraints),
    })),
    product: { name, sku, brand, category, manufacturer, mpn },
    existing: Object.fromEntries(attributes.map(({ slug }) => [slug, product.attributes[slug]!.value])),
    sources: sources.map(({ contentHash: _, ...source }) => source),
    signal: scope.signal,
  }).catch((error: unknown) => {
    throw error instanceof ProviderRefusal ? new ItemFailure(error.message) : error;
  });
  const results = attributes.map((attribute) => [attribute.slug, resultOf(product, attribute, judgements[attribute.slug]!)]);
  return { results: Object.fromEntries(results), images };
}

/** The validation result of one value of a product. */
export function resultOf({ attributes }: Product, { id, name, slug }: Attribute, judgement: Judgement): ValidationResult {
  const { attributeType, value: existingValue } = attributes[slug]!;
  return { attributeId: id, attributeName: name, attributeType, existingValue, ...judgement };
}
