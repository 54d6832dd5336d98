import { fail } from '../../../schema/errors.ts';
import { requireBalance } from '../../common/credits.ts';
import { canonicalId, isId } from '../../common/ids.ts';
import type { RequestScope, Scope } from '../../common/scope.ts';
import { chooseAttributes } from '../attributes/service.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob, productItems } from '../jobs/service.ts';
import type { JobLimits, NewProductEnrichmentJob } from '../jobs/types.ts';
import { Product } from '../products/entity.ts';
import { requireFiles } from '../uploads/service.ts';

/** Start an enrichment of products. Throws `OUT_OF_CREDITS`, and `NOT_FOUND` with `missingIds` for unknown products. */
export async function createProductEnrichmentJob(
  scope: RequestScope,
  { productIds, ...options }: NewProductEnrichmentJob,
  { sample = null, maxCredits = null, maxErrorRate = null }: JobLimits = {},
): Promise<Job> {
  await requireBalance(scope);
  const ids = [...new Set(productIds.map(canonicalId))];
  await requireProducts(scope, ids);
  await chooseAttributes(scope, options.attributeSetId, options.attributeIds);
  const uploadedFileIds = await requireFiles(scope, options.uploadedFileIds ?? []);
  const limits = { openUntil: sample, maxCredits, maxErrorRate };
  const job = { ...options, ...limits, uploadedFileIds, kind: 'product-enrichment', createdById: scope.caller.userId } as const;
  return createJob(scope, job, productItems(ids));
}

const CHUNK = 5_000;

/** All of the products exist in the organization, or none is worked on. */
export async function requireProducts({ em }: Scope, ids: string[]): Promise<void> {
  const known = new Set<string>();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const found = await em.find(Product, { id: { $in: ids.slice(at, at + CHUNK).filter(isId) } }, { fields: ['id'] });
    for (const { id } of found) known.add(id);
  }
  const missingIds = ids.filter((id) => !known.has(id));
  if (missingIds.length > 0) throw fail('NOT_FOUND', 'Product not found', { missingIds });
}
