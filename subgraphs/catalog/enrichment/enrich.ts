import type { Attribute } from '../attributes/entity.ts';
import type { Job } from '../jobs/entity.ts';
import type { WorkScope } from '../jobs/kind.ts';
import type { Product } from '../products/entity.ts';
import { readEvidence } from './evidence.ts';
import { fillAttributes } from './fill.ts';
import type { Found } from './found.ts';
import { collectSources } from './sources.ts';

/** Have the model read the product's sources. Throws `ItemFailure` when nothing can be read, or nothing is found in it. */
export async function enrichProduct(scope: WorkScope, job: Job, product: Product, attributes: Attribute[]): Promise<Found> {
  const evidence = await readEvidence(scope, job, product.id);
  const { sources, images, pictures } = evidence
    ? { sources: evidence, images: [], pictures: [] }
    : await collectSources(scope, job, product);
  const { name, sku, brand, category, manufacturer, mpn, attributes: existing } = product;
  const record = { name, sku, brand, category, manufacturer, mpn };
  return {
    ...(await fillAttributes(scope, job, { subject: 'product', attributes, record, existing, sources, images, pictures })),
    sources,
  };
}
