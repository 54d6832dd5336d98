import { Arg, Args, Authorized, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { sliceItems } from '../jobs/service.ts';
import { createProductMarketAnalysisJob, MarketResult } from './kind.ts';
import { JobItemSlice, MarketAnalysisItemsArguments, NewProductMarketAnalysisJob } from './types.ts';

@Resolver()
export class MarketAnalysisResolver {
  @Authorized('member')
  @Query(() => JobItemSlice, { description: 'The items of a market analysis, in the order of the request.' })
  marketAnalysisItems(
    @Ctx() scope: RequestScope,
    @Args(() => MarketAnalysisItemsArguments) { jobId, ...part }: MarketAnalysisItemsArguments,
  ) {
    return sliceItems(scope, jobId, 'product-market-analysis', part);
  }

  @Authorized('member')
  @Idempotent()
  @Mutation(() => Job, { description: 'Start a job that finds the prices that shops and marketplaces ask for products.' })
  createProductMarketAnalysisJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewProductMarketAnalysisJob) input: NewProductMarketAnalysisJob,
  ) {
    return createProductMarketAnalysisJob(scope, input);
  }
}

@Resolver(() => JobItem)
export class AnalyzedItemResolver {
  // One offer per page; `pages.ts` limits the number of pages.
  @ListSize(20)
  @FieldResolver(() => [MarketResult], { description: 'The offers that a market analysis found.' })
  results(@Root() { results }: JobItem) {
    return results;
  }
}
