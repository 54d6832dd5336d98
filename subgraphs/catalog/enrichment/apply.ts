import { clock } from '../../../platform/database/index.ts';
import { sanitizeOrStrip } from '../../../platform/reading/index.ts';
import { isTooLarge, MAX_BYTES } from '../attributes/size.ts';
import { type AttributeValues, type Provenances } from '../attributes/values.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/failure.ts';
import type { JobItem } from '../jobs/item-entity.ts';
import { batched, type Outcome } from '../jobs/kind.ts';
import type { Product } from '../products/entity.ts';
import type { Extraction } from './extraction.ts';
import { writeEnrichments } from './write.ts';

const TOO_LARGE = `The product would have more than ${MAX_BYTES} bytes of attribute values`;

/**
 * Turns an extraction into the outcome of an item. Applying it merges the values into the product and writes its history. Throws
 * `ItemFailure` if the values of the product would become too large.
 */
export function applyEnrichment({ job, item, product }: { job: Job; item: JobItem; product: Product }, found: Extraction): Outcome {
  const { enrichedData, provenance } = valuesOf(job, item, found);
  const written = newValues(enrichedData, provenance);
  if (isTooLarge({ ...product.attributes, ...written })) throw new ItemFailure(TOO_LARGE);
  const { sources = [], images, exampleIds = null } = found;
  const result = { item, overwrite: job.overwrite, found: enrichedData, values: written, provenance, sources, images };
  return { item: { enrichedData, provenance, exampleIds }, batch: batched(writeEnrichments, result) };
}

/** The extracted values and their provenance, by attribute slug. */
export function valuesOf(job: Job, item: JobItem, { model, values }: Extraction) {
  const at = clock.now().toISOString();
  const enrichedData: AttributeValues = {};
  const provenance: Provenances = {};
  for (const { attribute, type, value: found, origin, unchanged } of values) {
    // Values of variants may become HTML of the parent without having been sanitized.
    const value = type === 'html' && typeof found === 'string' ? sanitizeOrStrip(found) : found;
    enrichedData[attribute.slug] = { attributeId: attribute.id, attributeName: attribute.name, attributeType: type, value };
    if (value !== null && !unchanged) provenance[attribute.slug] = { jobId: job.id, itemId: item.id, model, ...origin, at };
  }
  return { enrichedData, provenance };
}

/** Drops missing values, which must not erase existing ones, and unchanged values, which may have changed since. */
const newValues = (values: AttributeValues, provenance: Provenances): AttributeValues =>
  Object.fromEntries(Object.entries(values).filter(([slug]) => Object.hasOwn(provenance, slug)));
