import { fail } from '../../../schema/errors.ts';
import { requireBalance } from '../../common/credits.ts';
import { canonicalId, isId } from '../../common/ids.ts';
import type { RequestScope, Scope } from '../../common/scope.ts';
import { chooseAttributes } from '../attributes/service.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob, productItems } from '../jobs/service.ts';
import type { NewProductEnrichmentJob } from '../jobs/types.ts';
import { Product } from '../products/entity.ts';

/** Start an enrichment of products. Throws `OUT_OF_CREDITS`, and `NOT_FOUND` with `missingIds` for unknown products. */
export async function createProductEnrichmentJob(
  scope: RequestScope,
  { productIds, ...options }: NewProductEnrichmentJob,
): Promise<Job> {
  await requireBalance(scope);
  const ids = [...new Set(productIds.map(canonicalId))];
  await requireProducts(scope, ids);
  await chooseAttributes(scope, options.attributeSetId, options.attributeIds);
  return createJob(scope, { ...options, kind: 'product-enrichment', createdById: scope.caller.userId }, productItems(ids));
}

/** All of the products exist in the organization, or none is worked on. */
export async function requireProducts({ em }: Scope, ids: string[]): Promise<void> {
  const found = await em.find(Product, { id: { $in: ids.filter(isId) } }, { fields: ['id'] });
  const known = new Set(found.map(({ id }) => id));
  const missingIds = ids.filter((id) => !known.has(id));
  if (missingIds.length > 0) throw fail('NOT_FOUND', 'Product not found', { missingIds });
}
