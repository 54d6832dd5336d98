import { requireBalance } from '../../../platform/credits/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { Job } from '../jobs/entity.ts';
import { createJob } from '../jobs/service.ts';
import { productItems, requireProducts } from '../products/job-items.ts';
import type { NewProductMarketAnalysisJob } from './types.ts';

/** Starts a market analysis. Throws `OUT_OF_CREDITS`, and `NOT_FOUND` with `missingIds` for unknown products. */
export async function createProductMarketAnalysisJob(
  scope: RequestScope,
  { productIds, modelType }: NewProductMarketAnalysisJob,
): Promise<Job> {
  await requireBalance(scope);
  const ids = await requireProducts(scope, productIds);
  const job = { kind: 'product-market-analysis', modelType, websearch: true, createdById: scope.caller.userId } as const;
  return createJob(scope, job, productItems(ids));
}
