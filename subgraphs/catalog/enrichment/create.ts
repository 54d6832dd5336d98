import { requireBalance } from '../../../platform/credits/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { chooseAttributes } from '../attributes/service.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob } from '../jobs/service.ts';
import type { JobLimits } from '../jobs/types.ts';
import { productItems, requireProducts } from '../products/job-items.ts';
import { requireFiles } from '../uploads/service.ts';
import type { NewProductEnrichmentJob } from './types.ts';

/** Starts an enrichment of products. Throws `OUT_OF_CREDITS`, and `NOT_FOUND` with `missingIds` for unknown products. */
export async function createProductEnrichmentJob(
  scope: RequestScope,
  { productIds, ...options }: NewProductEnrichmentJob,
  { sample = null, maxCredits = null, maxErrorRate = null, minConfidence = null }: JobLimits = {},
): Promise<Job> {
  if (options.agreement && options.modelType !== 'pro-v1') throw fail('INVALID_INPUT', 'agreement needs the modelType pro-v1');
  await requireBalance(scope);
  const ids = await requireProducts(scope, productIds);
  await chooseAttributes(scope, options.attributeSetId, options.attributeIds);
  const uploadedFileIds = await requireFiles(scope, options.uploadedFileIds ?? []);
  const limits = { openUntil: sample, maxCredits, maxErrorRate, minConfidence };
  const job = { ...options, ...limits, uploadedFileIds, kind: 'product-enrichment', createdById: scope.caller.userId } as const;
  return createJob(scope, job, productItems(ids));
}
