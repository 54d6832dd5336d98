import { Arg, Authorized, Ctx, FieldResolver, ID, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { requireBalance } from '../../../platform/credits/index.ts';
import { field, input, list } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { AutoAccept, ensureSettings } from '../acceptance/acceptance-settings.ts';
import { chooseAttributes } from '../attributes/service.ts';
import { ProvenanceType } from '../attributes/value-types.ts';
import { Job, JobItem, JobLimits } from '../jobs/entity.ts';
import { createJob } from '../jobs/service.ts';
import { productItems, requireProducts } from '../products/job-items.ts';
import { requireFiles } from '../uploads/service.ts';

@InputType({ description: 'A job that fills in attributes of products from their sources.' })
class NewProductEnrichmentJob extends input({
  productIds: list(ID, { minItems: 1, maxItems: 5_000, description: 'Products of the organization. Duplicates are ignored.' }),
  modelType: field(enumTypes.ModelType),
  websearch: field(Boolean, { defaultValue: true, description: 'Also search the web. Ignored for parents.' }),
  extractImages: field(Boolean, {
    defaultValue: false,
    description: 'Collect product images from the pages that the job reads. Ignored for parents.',
  }),
  includeExistingAttributes: field(Boolean, { defaultValue: true, description: 'Give the model the current values.' }),
  overwrite: field(enumTypes.OverwriteMode, {
    defaultValue: 'all',
    description: 'The values that the job may replace. No mode lets a value without evidence replace one that a person wrote.',
  }),
  useExamples: field(Boolean, {
    defaultValue: true,
    description: 'Show the model similar products and known values of the organization that people accepted.',
  }),
  agreement: field(Boolean, {
    defaultValue: false,
    description:
      'Read the sources twice, in both orders. Values that differ get half the confidence and show the other value. ' +
      'Only with `pro-v1`, for 3 more credits per product. Ignored for parents.',
  }),
  autoAccept: field(AutoAccept, {
    nullable: true,
    description:
      'Accept values without a person where judged values prove this precision. Default: that of the attribute, its set or the organization.',
  }),
  attributeSetId: field(ID, { nullable: true, description: 'Fill in the attributes of this set. Default: all active attributes.' }),
  attributeIds: list(ID, {
    maxItems: 500,
    nullable: true,
    description: 'Fill in only these attributes. Takes precedence over `attributeSetId`.',
  }),
  uploadedFileIds: list(ID, { maxItems: 20, nullable: true, description: 'Uploaded files that serve as additional sources.' }),
}) {}

@Resolver(() => ProvenanceType)
export class ProvenanceResolver {
  @ListSize(10)
  @FieldResolver(() => [ID], { description: 'Products whose accepted values the model received as examples.' })
  async exampleIds(@Ctx() scope: RequestScope, @Root() { itemId }: ProvenanceType): Promise<string[]> {
    return (await scope.load(JobItem, itemId))?.exampleIds ?? [];
  }
}

@Resolver()
export class EnrichmentResolver {
  @Authorized('member')
  @Idempotent()
  @Mutation(() => Job, { description: 'Start a job that fills in attributes of products from their sources.' })
  createProductEnrichmentJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewProductEnrichmentJob) input: NewProductEnrichmentJob,
    @Arg('limits', () => JobLimits, { nullable: true, description: 'When the job pauses. Default: never.' })
    limits?: JobLimits | null,
  ) {
    return createProductEnrichmentJob(scope, input, limits ?? {});
  }
}

/** Starts an enrichment of products. Throws `OUT_OF_CREDITS`, and `NOT_FOUND` with `missingIds` for unknown products. */
async function createProductEnrichmentJob(
  scope: RequestScope,
  { productIds, autoAccept, ...options }: NewProductEnrichmentJob,
  { sample = null, maxCredits = null, maxErrorRate = null, minConfidence = null }: JobLimits = {},
): Promise<Job> {
  if (options.agreement && options.modelType !== 'pro-v1') throw fail('INVALID_INPUT', 'agreement needs the modelType pro-v1');
  await requireBalance(scope);
  const ids = await requireProducts(scope, productIds);
  await chooseAttributes(scope, options.attributeSetId, options.attributeIds);
  const uploadedFileIds = await requireFiles(scope, options.uploadedFileIds ?? []);
  if (autoAccept) await ensureSettings(scope);
  const limits = { openUntil: sample, maxCredits, maxErrorRate, minConfidence };
  const job = {
    ...options,
    autoAccept: autoAccept?.precision ?? null,
    ...limits,
    uploadedFileIds,
    kind: 'product-enrichment',
    createdById: scope.caller.userId,
  } as const;
  return createJob(scope, job, productItems(ids));
}
