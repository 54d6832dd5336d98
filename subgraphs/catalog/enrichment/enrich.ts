import type { Attribute } from '../attributes/entity.ts';
import { readCalibrations } from '../calibration/calibrate.ts';
import type { Calibration } from '../calibration/isotonic.ts';
import type { Job } from '../jobs/entity.ts';
import type { WorkScope } from '../jobs/kind.ts';
import type { Product } from '../products/entity.ts';
import { readTwice } from './agreement.ts';
import { readEvidence } from './evidence.ts';
import { findExamples } from './examples.ts';
import { extractValues } from './extract.ts';
import type { ExtractedValue, Extraction } from './extraction.ts';
import { knownValues } from './known-values.ts';
import { collectSources } from './sources.ts';

/** Lets the model read the sources of a product. Throws `ItemFailure` if no source can be fetched or no value is found. */
export async function enrichProduct(scope: WorkScope, job: Job, product: Product, attributes: Attribute[]): Promise<Extraction> {
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
  const values = extraction.values.map((each) => ({
    ...each,
    origin: calibrated(each.origin, calibrationOf(each.attribute.slug)),
  }));
  return { ...extraction, values, sources, exampleIds: examples.map(({ productId }) => productId) };
}

/** A value without any confidence stays so, because it has no evidence. */
function calibrated(origin: ExtractedValue['origin'], calibrate: Calibration): ExtractedValue['origin'] {
  const confidence = origin.confidence === 0 ? 0 : Math.round(calibrate(origin.confidence));
  return confidence === origin.confidence ? origin : { ...origin, confidence, statedConfidence: origin.confidence };
}
