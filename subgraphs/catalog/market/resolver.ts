import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Bind, readRows } from '../../../platform/database/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { sliceItems } from '../jobs/service.ts';
import { Product } from '../products/entity.ts';
import {
  createProductMarketAnalysisJob,
  JobItemSlice,
  MarketAnalysisItemsArguments,
  MarketResult,
  NewProductMarketAnalysisJob,
} from './kind.ts';

@Access('member')
@Resolver()
export class MarketAnalysisResolver {
  @Query(() => JobItemSlice, { nullable: true, description: 'The items of a market analysis, in the order of the request.' })
  marketAnalysisItems(
    @Ctx() scope: RequestScope,
    @Args(() => MarketAnalysisItemsArguments) { jobId, ...part }: MarketAnalysisItemsArguments,
  ) {
    return sliceItems(scope, jobId, 'product-market-analysis', part);
  }

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

@Resolver(() => Product)
export class AnalyzedProductResolver {
  @FieldResolver(() => JobItem, { nullable: true, description: 'The newest completed market analysis of the product.' })
  marketAnalysis(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Product) {
    return analysisOf(scope.within(organizationId), id);
  }
}

async function analysisOf(scope: RequestScope, productId: string): Promise<JobItem | null> {
  const read = scope.batch('market analyses of products', async (ids) => {
    const matching = (bind: Bind) => `r.id in (
      select i.id from unnest(${bind(ids)}::uuid[]) as p (id) cross join lateral (
        select i.id from catalog.job_items i join catalog.jobs j on j.id = i.job_id
         where i.product_id = p.id and i.status = 'completed' and j.kind = 'product-market-analysis'
           and i.organization_id = ${bind(scope.organizationId)}
         order by i.created_at desc, i.id desc limit 1) i)`;
    return new Map((await readRows(scope, JobItem, { matching })).map((item) => [item.productId!, item]));
  });
  return (await read(productId)) ?? null;
}
