import { attributesOfJob, requireAttributes } from '../attributes/job-attributes.ts';
import type { JobKind } from '../jobs/kind.ts';
import { productOf } from '../products/job-items.ts';
import { aggregateVariants, withOwnValues } from './aggregate.ts';
import { applyEnrichment } from './apply.ts';
import { enrichProduct } from './enrich.ts';

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
    return applyEnrichment({ job, item, product }, found);
  },
};
