import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Job } from '../jobs/entity.ts';
import * as labels from '../labels/service.ts';
import { createLabelJob } from '../labels/service.ts';
import { LabelHistoryPage, LabelSlug } from '../labels/types.ts';
import { Brand } from './entity.ts';
import { BrandHistoryArguments, BrandName, CreatedBrand, NewBrandEnrichmentJob } from './types.ts';

@Access('member')
@Resolver(() => Brand)
export class BrandResolver {
  @Query(() => Boolean, { description: 'Whether a brand of this name exists.' })
  brandExists(@Ctx() scope: RequestScope, @Args(() => BrandName) { name }: BrandName) {
    return labels.labelExists(scope, 'brand', name);
  }

  @Idempotent()
  @Mutation(() => CreatedBrand, { description: 'Create a brand, or return the existing one of this name.' })
  async createBrand(
    @Ctx() scope: RequestScope,
    @Args(() => BrandName) { name }: BrandName,
    @Args(() => LabelSlug) { slug }: LabelSlug,
  ): Promise<CreatedBrand> {
    const { label, created } = await labels.createLabel(scope, 'brand', { name, slug });
    return { brand: label, created };
  }

  @Query(() => LabelHistoryPage, { description: 'The enrichments of a brand, newest first. Empty for an unknown name.' })
  brandEnrichmentHistory(
    @Ctx() scope: RequestScope,
    @Args(() => BrandName) { name }: BrandName,
    @Args(() => BrandHistoryArguments) page: BrandHistoryArguments,
  ) {
    return labels.historyOf(scope, 'brand', name, page);
  }

  @Idempotent()
  @Mutation(() => Job, { description: 'Start a job that fills in attributes of brands. Only one such job can be open at a time.' })
  createBrandEnrichmentJob(@Ctx() scope: RequestScope, @Arg('input', () => NewBrandEnrichmentJob) input: NewBrandEnrichmentJob) {
    return createLabelJob(scope, 'brand', input);
  }
}
