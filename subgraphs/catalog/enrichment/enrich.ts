import { extractAttributes } from '../../common/model/extract.ts';
import { ProviderRefusal } from '../../common/model/faults.ts';
import type { Attribute } from '../attributes/entity.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/failure.ts';
import type { WorkScope } from '../jobs/kind.ts';
import type { Product } from '../products/entity.ts';
import type { Found } from './found.ts';
import { collectSources } from './sources.ts';

/** Have the model read the product's sources. Throws `ItemFailure` when nothing can be read, or nothing is found in it. */
export async function enrichProduct(scope: WorkScope, job: Job, product: Product, attributes: Attribute[]): Promise<Found> {
  const { sources, images } = await collectSources(scope, job, product);
  const { name, sku, brand, category, manufacturer, mpn } = product;
  const extraction = await extractAttributes(scope.model, {
    tier: job.modelType,
    attributes: attributes.map(({ constraints, ...attribute }) => ({ ...attribute, constraints: withoutNulls(constraints) })),
    product: { name, sku, brand, category, manufacturer, mpn },
    existing: job.includeExistingAttributes ? existingValues(product) : {},
    sources: sources.map(({ contentHash: _, ...source }) => source),
    images: images.slice(0, 4).map(({ mime, bytes }) => `data:${mime};base64,${bytes.toString('base64')}`),
    signal: scope.signal,
  }).catch((error: unknown) => {
    throw error instanceof ProviderRefusal ? new ItemFailure(error.message) : error;
  });

  const values = attributes.map((attribute) => {
    const { value, confidence, sourceId, quote } = extraction.values[attribute.slug]!;
    const source = sources.find(({ id }) => id === sourceId);
    const origin = {
      confidence,
      sourceKind: source?.kind ?? null,
      sourceUrl: source?.url ?? null,
      snippet: quote,
      contentHash: source?.contentHash ?? null,
    };
    return { attribute, type: attribute.type, value, origin };
  });
  if (values.every(({ value }) => value === null)) throw new ItemFailure('Insufficient product data');
  return { model: extraction.model, values, images };
}

const existingValues = ({ attributes }: Product) =>
  Object.fromEntries(Object.entries(attributes).map(([slug, { value }]) => [slug, value]));

const withoutNulls = (constraints: object) => Object.fromEntries(Object.entries(constraints).filter(([, bound]) => bound !== null));
