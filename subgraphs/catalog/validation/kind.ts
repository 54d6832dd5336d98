import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { attributesOfJob, requireAttributes } from '../attributes/job-attributes.ts';
import type { AttributeValues } from '../attributes/values.ts';
import { type Label, labelValues } from '../calibration/label.ts';
import { storeImages } from '../enrichment/write.ts';
import { ItemFailure, type JobKind } from '../jobs/kind.ts';
import type { Product } from '../products/entity.ts';
import { productOf } from '../products/job-items.ts';
import { compareWithSources } from './compare.ts';
import { overallScore, type ValidationResults } from './results.ts';
import { compareWithVariants } from './variants.ts';

/** Compares the attribute values of products with their current sources, and those of a parent with its variants. */
export const productValidation: JobKind = {
  concurrency: 20,
  adaptive: true,
  completesRunningItems: true,
  prices: { 'budget-v1': { item: 1, parent: 0.25 }, 'pro-v1': { item: 5, parent: 0.5 } },
  events: {
    start: 'product_validation.start',
    completed: 'product_validation.completed',
    completedWhenFailed: true,
    stopped: 'product_validation.stopped',
  },
  check: attributesOfJob,

  async process(scope, job, item) {
    const product = await productOf(scope, item);
    const valued = withValue(product.attributes);
    const attributes = (await requireAttributes(scope, job)).filter(({ slug }) => Object.hasOwn(valued, slug));
    if (attributes.length === 0) throw new ItemFailure('Insufficient product data');
    const compare = item.asParent ? compareWithVariants : compareWithSources;
    const { results, images } = await compare(scope, job, product, attributes);
    const score = overallScore(results);
    return {
      item: { validationResults: results, overallScore: score },
      async apply(inner) {
        await labelValues(inner, 'validation', labelsOf(product, results));
        await writeHistory(inner, { productId: product.id, itemId: item.id, score });
        await storeImages(inner, product.id, images);
      },
    };
  },
};

/** Less confident verdicts do not count as labels. */
const MIN_CONFIDENCE = 80;
const labelsOf = ({ provenance }: Product, results: ValidationResults): Label[] =>
  Object.entries(results).flatMap(([slug, { isValid, confidence }]) =>
    Object.hasOwn(provenance, slug) && confidence >= MIN_CONFIDENCE ? [{ slug, origin: provenance[slug]!, isRight: isValid }] : [],
  );

const withValue = (values: AttributeValues) => Object.fromEntries(Object.entries(values).filter(([, { value }]) => value !== null));

const writeHistory = (
  { em, organizationId }: Scope,
  { productId, itemId, score }: { productId: string; itemId: string; score: number },
) =>
  query(
    em,
    sql`insert into catalog.validation_history (id, organization_id, product_id, job_item_id, overall_score)
        values (gen_random_uuid(), ${organizationId}, ${productId}, ${itemId}, ${score})`,
  );
