import { attributesOfJob } from '../jobs/attributes.ts';
import type { Kind } from '../jobs/kind.ts';
import { aggregateVariants, withOwn } from './aggregate.ts';
import { applyEnrichment } from './apply.ts';
import { enrichProduct } from './enrich.ts';
import { attributesOf, findProduct, productPrice } from './item.ts';

/** Fill in the attributes of products: from their sources, or for a parent from its variants. */
export const productEnrichment: Kind = {
  concurrency: 20,
  finishesInHand: true,
  check: attributesOfJob,
  price: productPrice,

  async process(scope, job, item) {
    const product = await findProduct(scope, item);
    const attributes = await attributesOf(scope, job);
    const found = product.isParent
      ? withOwn(await aggregateVariants(scope, product, attributes), job.includeExistingAttributes ? product.attributes : {})
      : await enrichProduct(scope, job, product, attributes);
    return applyEnrichment({ job, item, product }, found);
  },
};
