import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Job } from '../jobs/entity.ts';
import * as labels from '../labels/service.ts';
import { createLabelJob } from '../labels/service.ts';
import { LabelHistoryPage, LabelSlug } from '../labels/types.ts';
import { Category } from './entity.ts';
import { CategoryHistoryArguments, CategoryName, CreatedCategory, NewProductCategoryEnrichmentJob } from './types.ts';

@Access('member')
@Resolver(() => Category)
export class CategoryResolver {
  @Query(() => Boolean, { description: 'Whether a category of this name exists.' })
  categoryExists(@Ctx() scope: RequestScope, @Args(() => CategoryName) { name }: CategoryName) {
    return labels.labelExists(scope, 'category', name);
  }

  @Idempotent()
  @Mutation(() => CreatedCategory, { description: 'Create a category, or return the existing one of this name.' })
  async createCategory(
    @Ctx() scope: RequestScope,
    @Args(() => CategoryName) { name }: CategoryName,
    @Args(() => LabelSlug) { slug }: LabelSlug,
  ): Promise<CreatedCategory> {
    const { label, created } = await labels.createLabel(scope, 'category', { name, slug });
    return { category: label, created };
  }

  @Query(() => LabelHistoryPage, { description: 'The enrichments of a category, newest first. Empty for an unknown name.' })
  categoryEnrichmentHistory(
    @Ctx() scope: RequestScope,
    @Args(() => CategoryName) { name }: CategoryName,
    @Args(() => CategoryHistoryArguments) page: CategoryHistoryArguments,
  ) {
    return labels.historyOf(scope, 'category', name, page);
  }

  @Idempotent()
  @Mutation(() => Job, {
    description: 'Start a job that fills in attributes of categories. Only one such job can be open at a time.',
  })
  createProductCategoryEnrichmentJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewProductCategoryEnrichmentJob) input: NewProductCategoryEnrichmentJob,
  ) {
    return createLabelJob(scope, 'category', input);
  }
}
