import { Arg, Args, Authorized, Ctx, FieldResolver, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { field, Id, output } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { BrandSummary, CategorySummary } from '../labels/entity.ts';
import { IS_NAMED, listLabels } from '../labels/summaries.ts';
import {
  AttributeStats,
  CatalogStats,
  CreditUsage,
  CreditUsageArguments,
  CreditUsageRow,
  JobEstimate,
  JobEstimateArguments,
  JobStats,
} from './entity.ts';
import * as stats from './service.ts';

const TOP = 10;
const largest = { page: 1, limit: TOP, search: '', sortBy: 'productCount', sortOrder: 'desc' } as const;

@Resolver(() => CatalogStats)
export class CatalogStatsResolver {
  @Authorized('member')
  @Query(() => CatalogStats, { description: 'Counts of the catalog of the organization.' })
  catalogStats(@Ctx() scope: RequestScope) {
    return stats.catalogStats(scope);
  }

  @ListSize(TOP)
  @FieldResolver(() => [BrandSummary], { description: 'The ten brands with the most products.' })
  async brands(@Ctx() scope: RequestScope) {
    return (await listLabels(scope, 'brand', largest)).nodes;
  }

  @ListSize(TOP)
  @FieldResolver(() => [CategorySummary], { description: 'The ten categories with the most products.' })
  async categories(@Ctx() scope: RequestScope) {
    return (await listLabels(scope, 'category', largest, [IS_NAMED])).nodes;
  }

  @ListSize(50)
  @FieldResolver(() => [AttributeStats], { description: 'All product attributes, sorted by name.' })
  attributes(@Ctx() scope: RequestScope, @Root() root: CatalogStats) {
    return stats.attributeStats(scope, root);
  }
}

@Resolver(() => CreditUsage)
export class CreditUsageResolver {
  @Authorized('member')
  @Query(() => CreditUsage, { description: 'The credits that jobs, chats and knowledge sources used in a period.' })
  creditUsage(@Ctx() scope: RequestScope, @Args(() => CreditUsageArguments) request: CreditUsageArguments) {
    return stats.creditUsage(scope, request);
  }

  @ListSize(stats.MAX_JOBS)
  @FieldResolver(() => [CreditUsageRow], {
    description: 'Oldest day first, or by kind, or the 100 most expensive jobs that were created in the period.',
  })
  rows(@Root() { rows }: CreditUsage) {
    return rows;
  }
}

@Access('member')
@Resolver()
export class StatsResolver {
  @ListSize(48)
  @Query(() => [JobStats], { description: 'The number of jobs of each kind and status. Zeros are omitted.' })
  jobStats(@Ctx() scope: RequestScope) {
    return stats.jobStats(scope);
  }

  @Query(() => Int, { description: 'The number of values that nobody has reviewed yet.' })
  reviewCount(
    @Ctx() scope: RequestScope,
    @Arg('attribute', () => String, { nullable: true, description: 'The slug of an attribute.' }) attribute?: string | null,
  ) {
    return stats.reviewCount(scope, attribute);
  }

  @Query(() => JobEstimate, { description: 'The maximum cost of a job. Starts nothing.' })
  jobEstimate(@Ctx() scope: RequestScope, @Args(() => JobEstimateArguments) request: JobEstimateArguments) {
    return stats.estimateJob(scope, request);
  }

  @Query(() => JobEstimate, { nullable: true, description: 'The maximum cost of repeating a job. Starts nothing.' })
  rerunEstimate(
    @Ctx() scope: RequestScope,
    @Id('jobId') jobId: string,
    @Arg('modelType', () => enumTypes.ModelType) modelType: EnumValue<'ModelType'>,
  ) {
    return stats.estimateRerun(scope, jobId, modelType);
  }
}

@ObjectType({ description: 'The first steps that an organization has taken with its catalog.' })
class FirstSteps extends output({
  attributes: field(Boolean, 'It has attributes of products.'),
  products: field(Boolean, 'It has products, or has imported a file.'),
  enrichment: field(Boolean, 'It has started an enrichment of products.'),
  review: field(Boolean, 'A member has reviewed or edited a value that a job wrote.'),
}) {}

@Resolver()
export class FirstStepsResolver {
  @Authorized('member')
  @Query(() => FirstSteps, { description: 'The first steps of the organization with its catalog.' })
  async firstSteps(@Ctx() { em, organizationId }: RequestScope): Promise<FirstSteps> {
    const [steps] = await query(
      em,
      sql<FirstSteps>`select
           exists (select from catalog.attributes where organization_id = ${organizationId} and subject = 'product') as attributes,
           exists (select from catalog.products where organization_id = ${organizationId})
             or exists (select from catalog.jobs where organization_id = ${organizationId} and kind = 'ai-import') as products,
           exists (select from catalog.jobs where organization_id = ${organizationId} and kind = 'product-enrichment') as enrichment,
           exists (select from catalog.confidence_labels where organization_id = ${organizationId} and kind <> 'validation') as review`,
    );
    return steps!;
  }
}
