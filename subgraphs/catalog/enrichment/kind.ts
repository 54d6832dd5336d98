import { clock } from '../../../platform/database/index.ts';
import { sanitizeOrStrip } from '../../../platform/reading/index.ts';
import { scoreOf } from '../acceptance/value-score.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';
import type { Attribute } from '../attributes/entity.ts';
import { attributesOfJob, isTooLarge, MAX_BYTES, requireAttributes } from '../attributes/service.ts';
import { type Calibration, readCalibrations } from '../calibration/calibrate.ts';
import type { Job, JobItem } from '../jobs/entity.ts';
import { batched, ItemFailure, type JobKind, type Outcome, type WorkScope } from '../jobs/job-kind.ts';
import type { Product } from '../products/entity.ts';
import { productOf } from '../products/job-items.ts';
import { aggregateVariants, withOwnValues } from './aggregate.ts';
import { extractValues, type FoundValue, type FoundValues, readTwice } from './ask-model.ts';
import { findExamples } from './examples.ts';
import { knownValues } from './known-values.ts';
import { writeEnrichments } from './product-writes.ts';
import { collectSources } from './sources.ts';
import { readEvidence } from './stored-sources.ts';

/** Fills in the attributes of products: from their sources, or for a parent from its variants. */
export const productEnrichment: JobKind = {
  concurrency: 20,
  adaptive: true,
  completesRunningItems: true,
  prices: { 'budget-v1': { item: 1, parent: 0.25 }, 'pro-v1': { item: 5, parent: 0.5, agreement: 3 } },
  events: {
    start: 'product_enrichment.start',
    completed: 'product_enrichment.completed',
    completedWhenFailed: true,
    stopped: 'product_enrichment.stopped',
  },
  check: attributesOfJob,

  async process(scope, job, item) {
    const product = await productOf(scope, item);
    const attributes = await requireAttributes(scope, job);
    const found = item.asParent
      ? withOwnValues(await aggregateVariants(scope, product, attributes), job.includeExistingAttributes ? product.attributes : {})
      : await enrichProduct(scope, job, product, attributes);
    return outcomeOf({ job, item, product }, found);
  },
};

/** Lets the model read the sources of a product. Throws `ItemFailure` if no source can be fetched or no value is found. */
async function enrichProduct(scope: WorkScope, job: Job, product: Product, attributes: Attribute[]): Promise<FoundValues> {
  const evidence = await readEvidence(scope, job, product.id);
  const { sources, images, pictures } = evidence
    ? { sources: evidence, images: [], pictures: [] }
    : await collectSources(scope, job, product, { requests: job.agreement ? 2 : 1 });
  const { name, sku, brand, category, manufacturer, mpn, attributes: existing } = product;
  const examples = await findExamples(scope, job, product, attributes);
  const known = await knownValues(scope, job, product, attributes);
  const record = { name, sku, brand, category, manufacturer, mpn };
  const context = { record, existing, sources, examples, known, images, pictures };
  const request = { subject: 'product', attributes, ...context } as const;
  const extraction = await (job.agreement ? readTwice : extractValues)(scope, job, request);
  const calibrationOf = await readCalibrations(scope, job.modelType);
  const values = extraction.values.map((each) => {
    const { slug } = each.attribute;
    const neighbors = examples.flatMap((example) => (Object.hasOwn(example.values, slug) ? [example.values[slug]] : []));
    const score = scoreOf(each.origin, each.value, neighbors);
    return { ...each, origin: { ...calibrated(each.origin, calibrationOf(slug)), score } };
  });
  return { ...extraction, values, sources, exampleIds: examples.map(({ productId }) => productId) };
}

/** A value without any confidence stays so, because it has no evidence. */
function calibrated(origin: FoundValue['origin'], calibrate: Calibration): FoundValue['origin'] {
  const confidence = origin.confidence === 0 ? 0 : Math.round(calibrate(origin.confidence));
  return confidence === origin.confidence ? origin : { ...origin, confidence, statedConfidence: origin.confidence };
}

const TOO_LARGE = `The product would have more than ${MAX_BYTES} bytes of attribute values`;

/**
 * Turns an extraction into the outcome of an item. Applying it merges the values into the product and writes its history. Throws
 * `ItemFailure` if the values of the product would become too large.
 */
export function outcomeOf({ job, item, product }: { job: Job; item: JobItem; product: Product }, found: FoundValues): Outcome {
  const { enrichedData, provenance } = enrichedColumns(job, item, found);
  const written = newValues(enrichedData, provenance);
  if (isTooLarge({ ...product.attributes, ...written })) throw new ItemFailure(TOO_LARGE);
  const { sources = [], images, exampleIds = null } = found;
  const result = { job, item, overwrite: job.overwrite, found: enrichedData, values: written, provenance, sources, images };
  return { item: { enrichedData, provenance, exampleIds }, batch: batched(writeEnrichments, result) };
}

/** The extracted values and their provenance, by attribute slug. */
export function enrichedColumns(job: Job, item: JobItem, { model, values }: FoundValues) {
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
