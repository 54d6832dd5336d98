import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Job } from '../jobs/entity.ts';
import { findJob } from '../jobs/service.ts';
import { Brand, Category, type LabelSubject } from './entity.ts';
import { readFilePage } from './label-file.ts';
import * as labels from './service.ts';
import { createLabelJob } from './service.ts';
import { subjects } from './subjects.ts';
import {
  BrandHistoryArguments,
  BrandName,
  CategoryHistoryArguments,
  CategoryName,
  CreatedBrand,
  CreatedCategory,
  FilePage,
  LabelHistoryPage,
  LabelSlug,
  NewBrandEnrichmentJob,
  NewProductCategoryEnrichmentJob,
} from './types.ts';

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

@Resolver()
export class EnrichmentFileResolver {
  @Authorized('member')
  @Query(() => FilePage, {
    nullable: true,
    description: 'The rows of a brand or category job with the values filled in, one page at a time.',
  })
  async enrichmentFile(
    @Ctx() scope: RequestScope,
    @Id('jobId') jobId: string,
    @Arg('kind', () => enumTypes.JobKind, { nullable: true, description: 'A job of another kind is treated as not found.' })
    kind?: EnumValue<'JobKind'>,
    @Arg('after', () => String, { nullable: true, description: 'The `next` of the previous page.' }) after?: string | null,
  ): Promise<FilePage> {
    const job = await findJob(scope, jobId, kind);
    const subject = (Object.keys(subjects) as LabelSubject[]).find((each) => subjects[each].kind === job.kind);
    if (!subject) throw fail('INVALID_INPUT', 'only jobs over brands and categories have a file');
    return readFilePage(scope, subject, job, after);
  }
}
