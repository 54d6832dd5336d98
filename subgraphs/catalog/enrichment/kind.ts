import { Arg, Authorized, Ctx, FieldResolver, ID, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { requireBalance } from '../../../platform/credits/index.ts';
import { clock } from '../../../platform/database/index.ts';
import { field, input, list } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { sanitizeOrStrip } from '../../../platform/reading/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { scoreOf } from '../acceptance/accept-values.ts';
import { AutoAccept, ensureSettings } from '../acceptance/entity.ts';
import type { AttributeValues, Provenances } from '../attributes/attribute-content.ts';
import type { Attribute } from '../attributes/entity.ts';
import { attributesOfJob, chooseAttributes, isTooLarge, MAX_BYTES, requireAttributes } from '../attributes/service.ts';
import { ProvenanceType } from '../attributes/value-types.ts';
import { type Calibration, readCalibrations } from '../calibration/calibrate.ts';
import { Job, JobItem, JobLimits } from '../jobs/entity.ts';
import { batched, ItemFailure, type ItemOutcome, type JobKind, type WorkScope } from '../jobs/job-kind.ts';
import { createJob } from '../jobs/service.ts';
import type { Product } from '../products/entity.ts';
import { productItems, productOf, requireProducts } from '../products/job-items.ts';
import { requireFiles } from '../uploads/service.ts';
import { aggregateVariants, withOwnValues } from './aggregate.ts';
import { extractValues, type FoundValue, type FoundValues, knownValues, readTwice } from './ask-model.ts';
import { findExamples } from './examples.ts';
import { writeEnrichments } from './product-writes.ts';
import { collectSources, readEvidence } from './sources.ts';

/** Fills in the attributes of products: from their sources, or for a parent from its variants. */
export const productEnrichment: JobKind = {
  concurrency: 20,
  adaptive: true,
  completesRunningItems: true,
  prices: { 'budget-v1': { item: 1, parent: 0.25 }, 'pro-v1': { item: 5, parent: 0.5, agreement: 3 } },
  events: {
    start: 'product_enrichment.start',
    completed: 'product_enrichment.completed',
    completedWhenFailed: true,
    stopped: 'product_enrichment.stopped',
  },
  check: attributesOfJob,

  async process(scope, job, item) {
    const product = await productOf(scope, item);
    const attributes = await requireAttributes(scope, job);
    const found = item.asParent
      ? withOwnValues(await aggregateVariants(scope, product, attributes), job.includeExistingAttributes ? product.attributes : {})
      : await enrichProduct(scope, job, product, attributes);
    return outcomeOf({ job, item, product }, found);
  },
};

/** Lets the model read the sources of a product. Throws `ItemFailure` if no source can be fetched or no value is found. */
async function enrichProduct(scope: WorkScope, job: Job, product: Product, attributes: Attribute[]): Promise<FoundValues> {
  const evidence = await readEvidence(scope, job, product.id);
  const { sources, images, pictures } = evidence
    ? { sources: evidence, images: [], pictures: [] }
    : await collectSources(scope, job, product, { requests: job.agreement ? 2 : 1 });
  const { name, sku, brand, category, manufacturer, mpn, attributes: existing } = product;
  const examples = await findExamples(scope, job, product, attributes);
  const known = await knownValues(scope, job, product, attributes);
  const record = { name, sku, brand, category, manufacturer, mpn };
  const context = { record, existing, sources, examples, known, images, pictures };
  const request = { subject: 'product', attributes, ...context } as const;
  const extraction = await (job.agreement ? readTwice : extractValues)(scope, job, request);
  const calibrationOf = await readCalibrations(scope, job.modelType);
  const values = extraction.values.map((each) => {
    const { slug } = each.attribute;
    const neighbors = examples.flatMap((example) => (Object.hasOwn(example.values, slug) ? [example.values[slug]] : []));
    const score = scoreOf(each.origin, each.value, neighbors);
    return { ...each, origin: { ...calibrated(each.origin, calibrationOf(slug)), score } };
  });
  return { ...extraction, values, sources, exampleIds: examples.map(({ productId }) => productId) };
}

/** A value without any confidence stays so, because it has no evidence. */
function calibrated(origin: FoundValue['origin'], calibrate: Calibration): FoundValue['origin'] {
  const confidence = origin.confidence === 0 ? 0 : Math.round(calibrate(origin.confidence));
  return confidence === origin.confidence ? origin : { ...origin, confidence, statedConfidence: origin.confidence };
}

const TOO_LARGE = `The product would have more than ${MAX_BYTES} bytes of attribute values`;

/**
 * Turns an extraction into the outcome of an item. Applying it merges the values into the product and writes its history. Throws
 * `ItemFailure` if the values of the product would become too large.
 */
export function outcomeOf({ job, item, product }: { job: Job; item: JobItem; product: Product }, found: FoundValues): ItemOutcome {
  const { enrichedData, provenance } = enrichedColumns(job, item, found);
  const written = newValues(enrichedData, provenance);
  if (isTooLarge({ ...product.attributes, ...written })) throw new ItemFailure(TOO_LARGE);
  const { sources = [], images, exampleIds = null } = found;
  const result = { job, item, overwrite: job.overwrite, found: enrichedData, values: written, provenance, sources, images };
  return { item: { enrichedData, provenance, exampleIds }, batch: batched(writeEnrichments, result) };
}

/** The extracted values and their provenance, by attribute slug. */
export function enrichedColumns(job: Job, item: JobItem, { model, values }: FoundValues) {
  const at = clock.now().toISOString();
  const enrichedData: AttributeValues = {};
  const provenance: Provenances = {};
  for (const { attribute, type, value: found, origin, unchanged } of values) {
    // Values of variants may become HTML of the parent without having been sanitized.
    const value = type === 'html' && typeof found === 'string' ? sanitizeOrStrip(found) : found;
    enrichedData[attribute.slug] = { attributeId: attribute.id, attributeName: attribute.name, attributeType: type, value };
    if (value !== null && !unchanged) provenance[attribute.slug] = { jobId: job.id, itemId: item.id, model, ...origin, at };
  }
  return { enrichedData, provenance };
}

/** Drops missing values, which must not erase existing ones, and unchanged values, which may have changed since. */
const newValues = (values: AttributeValues, provenance: Provenances): AttributeValues =>
  Object.fromEntries(Object.entries(values).filter(([slug]) => Object.hasOwn(provenance, slug)));

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
  /** Throws `OUT_OF_CREDITS`, and `NOT_FOUND` with `missingIds` for unknown products. */
  @Authorized('member')
  @Idempotent()
  @Mutation(() => Job, { description: 'Start a job that fills in attributes of products from their sources.' })
  async createProductEnrichmentJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewProductEnrichmentJob) { productIds, autoAccept, ...options }: NewProductEnrichmentJob,
    @Arg('limits', () => JobLimits, { nullable: true, description: 'When the job pauses. Default: never.' })
    limits?: JobLimits | null,
  ) {
    if (options.agreement && options.modelType !== 'pro-v1') throw fail('INVALID_INPUT', 'agreement needs the modelType pro-v1');
    await requireBalance(scope);
    const ids = await requireProducts(scope, productIds);
    await chooseAttributes(scope, options.attributeSetId, options.attributeIds);
    const uploadedFileIds = await requireFiles(scope, options.uploadedFileIds ?? []);
    if (autoAccept) await ensureSettings(scope);
    const { sample = null, maxCredits = null, maxErrorRate = null, minConfidence = null } = limits ?? {};
    const job = {
      ...options,
      autoAccept: autoAccept?.precision ?? null,
      openUntil: sample,
      maxCredits,
      maxErrorRate,
      minConfidence,
      uploadedFileIds,
      kind: 'product-enrichment',
      createdById: scope.caller.userId,
    } as const;
    return createJob(scope, job, productItems(ids));
  }
}
