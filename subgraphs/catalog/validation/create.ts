import { requireBalance } from '../../../platform/credits/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { chooseAttributes } from '../attributes/service.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob } from '../jobs/service.ts';
import { productItems, requireProducts } from '../products/job-items.ts';
import type { NewProductValidationJob } from './types.ts';

/** Starts a validation of products. Throws `OUT_OF_CREDITS`, and `NOT_FOUND` with `missingIds` for unknown products. */
export async function createProductValidationJob(
  scope: RequestScope,
  { productIds, ...options }: NewProductValidationJob,
): Promise<Job> {
  await requireBalance(scope);
  const ids = await requireProducts(scope, productIds);
  await chooseAttributes(scope, options.attributeSetId, options.attributeIds);
  const job = { ...options, kind: 'product-validation', websearch: true, createdById: scope.caller.userId } as const;
  return createJob(scope, job, productItems(ids));
}
