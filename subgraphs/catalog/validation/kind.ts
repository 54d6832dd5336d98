import { isDeepStrictEqual } from 'node:util';
import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Authorized, Ctx, FieldResolver, ID, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { requireBalance } from '../../../platform/credits/index.ts';
import { query, sql } from '../../../platform/database/index.ts';
import { field, input, list } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { ProviderRefusal } from '../../../platform/model/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { AttributeContent, AttributeType, AttributeValues } from '../attributes/attribute-content.ts';
import type { Attribute } from '../attributes/entity.ts';
import { attributesOfJob, chooseAttributes, requireAttributes } from '../attributes/service.ts';
import { type JudgedValue, labelValues } from '../calibration/calibrate.ts';
import { aggregateVariants } from '../enrichment/aggregate.ts';
import { type FoundValue, type FoundValues, withoutNulls } from '../enrichment/ask-model.ts';
import { storeImages } from '../enrichment/product-writes.ts';
import { collectSources } from '../enrichment/sources.ts';
import { type Judgement, validateAttributes } from '../extraction/validate-attributes.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { ItemFailure, type JobKind, type WorkScope } from '../jobs/job-kind.ts';
import { createJob } from '../jobs/service.ts';
import type { Product } from '../products/entity.ts';
import { productItems, productOf, requireProducts } from '../products/job-items.ts';

@InputType({ description: 'A job that compares attribute values of products with their current sources.' })
class NewProductValidationJob extends input({
  productIds: list(ID, { minItems: 1, maxItems: 5_000, description: 'Products of the organization. Duplicates are ignored.' }),
  modelType: field(enumTypes.ModelType),
  extractImages: field(Boolean, {
    defaultValue: false,
    description: 'Collect product images from the pages that the job reads. Ignored for parents.',
  }),
  attributeSetId: field(ID, { nullable: true, description: 'Compare the attributes of this set. Default: all active attributes.' }),
  attributeIds: list(ID, {
    maxItems: 500,
    nullable: true,
    description: 'Compare only these attributes. Takes precedence over `attributeSetId`.',
  }),
}) {}

/** Compares the attribute values of products with their current sources, and those of a parent with its variants. */
export const productValidation: JobKind = {
  concurrency: 20,
  adaptive: true,
  completesRunningItems: true,
  prices: { 'budget-v1': { item: 1, parent: 0.25 }, 'pro-v1': { item: 5, parent: 0.5 } },
  events: {
    start: 'product_validation.start',
    completed: 'product_validation.completed',
    completedWhenFailed: true,
    stopped: 'product_validation.stopped',
  },
  check: attributesOfJob,

  async process(scope, job, item) {
    const product = await productOf(scope, item);
    const valued = withValue(product.attributes);
    const attributes = (await requireAttributes(scope, job)).filter(({ slug }) => Object.hasOwn(valued, slug));
    if (attributes.length === 0) throw new ItemFailure('Insufficient product data');
    const compare = item.asParent ? compareWithVariants : compareWithSources;
    const { results, images } = await compare(scope, job, product, attributes);
    const score = overallScore(results);
    return {
      item: { validationResults: results, overallScore: score },
      async apply(inner) {
        await labelValues(inner, 'validation', labelsOf(product, results));
        await writeHistory(inner, { productId: product.id, itemId: item.id, score });
        await storeImages(inner, product.id, images);
      },
    };
  },
};

/** Less confident verdicts do not count as labels. */
const MIN_CONFIDENCE = 80;
const labelsOf = ({ provenance }: Product, results: ValidationResults): JudgedValue[] =>
  Object.entries(results).flatMap(([slug, { isValid, confidence }]) =>
    Object.hasOwn(provenance, slug) && confidence >= MIN_CONFIDENCE ? [{ slug, origin: provenance[slug]!, isRight: isValid }] : [],
  );

const withValue = (values: AttributeValues) => Object.fromEntries(Object.entries(values).filter(([, { value }]) => value !== null));

const writeHistory = (
  { em, organizationId }: Scope,
  { productId, itemId, score }: { productId: string; itemId: string; score: number },
) =>
  query(
    em,
    sql`insert into catalog.validation_history (id, organization_id, product_id, job_item_id, overall_score)
        values (gen_random_uuid(), ${organizationId}, ${productId}, ${itemId}, ${score})`,
  );

/** Lets the model compare the values of a product with its current sources. */
async function compareWithSources(scope: WorkScope, job: Job, product: Product, attributes: Attribute[]): Promise<Comparison> {
  const { sources, images } = await collectSources(scope, job, product, { requests: 0 });
  const { name, sku, brand, category, manufacturer, mpn } = product;
  const { judgements } = await validateAttributes(scope.model, {
    tier: job.modelType,
    // A value keeps the type it was written with, even if the attribute has changed.
    attributes: attributes.map(({ constraints, ...each }) => ({
      ...each,
      type: product.attributes[each.slug]!.attributeType,
      constraints: withoutNulls(constraints),
    })),
    product: { name, sku, brand, category, manufacturer, mpn },
    existing: Object.fromEntries(attributes.map(({ slug }) => [slug, product.attributes[slug]!.value])),
    sources: sources.map(({ contentHash: _, ...source }) => source),
    signal: scope.signal,
  }).catch((error: unknown) => {
    throw error instanceof ProviderRefusal ? new ItemFailure(error.message) : error;
  });
  const results = attributes.map((attribute) => [attribute.slug, resultOf(product, attribute, judgements[attribute.slug]!)]);
  return { results: Object.fromEntries(results), images };
}

/** The validation result of one value of a product. */
function resultOf({ attributes }: Product, { id, name, slug }: Attribute, judgement: Judgement): ValidationResult {
  const { attributeType, value: existingValue } = attributes[slug]!;
  return { attributeId: id, attributeName: name, attributeType, existingValue, ...judgement };
}

/** The comparison of one value with its sources. */
interface ValidationResult {
  attributeId: string | null;
  attributeName: string;
  attributeType: AttributeType;
  existingValue: AttributeContent;
  isValid: boolean;
  /** 0 to 100. */
  confidence: number;
  explanation: string;
}
type ValidationResults = Record<string, ValidationResult>;

interface Comparison {
  results: ValidationResults;
  images: FoundValues['images'];
}

const ValidationResultsScalar = new GraphQLScalarType({
  ...GraphQLJSONObject.toConfig(),
  name: 'ValidationResults',
  description:
    'A map of attribute slug to the comparison of its value with the sources: `attributeId`, `attributeName`, `attributeType`, `existingValue`, `isValid`, `confidence` (0 to 100) and `explanation`.',
});

/** The mean likelihood that the values are correct, 0 to 100 with two decimals. */
function overallScore(results: ValidationResults): number {
  const scores = Object.values(results).map(({ isValid, confidence }) => (isValid ? confidence : 100 - confidence));
  return Math.round((100 * scores.reduce((sum, each) => sum + each, 0)) / scores.length) / 100;
}

/** Compares the values of a parent with the aggregate of its variants. Uses no model, web pages or images. */
async function compareWithVariants(scope: WorkScope, _job: Job, parent: Product, attributes: Attribute[]): Promise<Comparison> {
  const { values } = await aggregateVariants(scope, parent, attributes);
  const found = new Map(values.map((each) => [each.attribute.slug, each]));
  const results = attributes.map((attribute) => [
    attribute.slug,
    resultOf(parent, attribute, judge(parent.attributes[attribute.slug]!.value, found.get(attribute.slug)!)),
  ]);
  return { results: Object.fromEntries(results), images: [] };
}

function judge(existing: AttributeContent, { value, origin: { confidence, snippet } }: FoundValue): Judgement {
  if (value === null)
    return { isValid: true, confidence: 50, explanation: 'The variants do not agree on anything to compare with the value.' };
  const isValid = isDeepStrictEqual(comparable(existing), comparable(value));
  const verdict = isValid ? 'as the value says' : `and the value is ${shown(existing)}`;
  return { isValid, confidence, explanation: `The variants (${snippet}) give ${shown(value)}, ${verdict}.` };
}

/** Ignores case and the order of lists. A list of one equals its item. */
const comparable = (value: AttributeContent) => {
  const texts = [value].flat().map((each) => (typeof each === 'string' ? each.trim().toLowerCase() : each));
  return texts.length > 1 ? texts.map(String).sort() : texts;
};
const shown = (value: AttributeContent) => `“${[value].flat().join(', ')}”`;

@Resolver()
export class ValidationResolver {
  /** Throws `OUT_OF_CREDITS`, and `NOT_FOUND` with `missingIds` for unknown products. */
  @Authorized('member')
  @Idempotent()
  @Mutation(() => Job, { description: 'Start a job that compares attribute values of products with their current sources.' })
  async createProductValidationJob(
    @Ctx() scope: RequestScope,
    @Arg('input', () => NewProductValidationJob) { productIds, ...options }: NewProductValidationJob,
  ) {
    await requireBalance(scope);
    const ids = await requireProducts(scope, productIds);
    await chooseAttributes(scope, options.attributeSetId, options.attributeIds);
    const job = { ...options, kind: 'product-validation', websearch: true, createdById: scope.caller.userId } as const;
    return createJob(scope, job, productItems(ids));
  }
}

@Resolver(() => JobItem)
export class ValidatedItemResolver {
  @FieldResolver(() => ValidationResultsScalar, {
    nullable: true,
    description: 'Null unless a validation of the item has completed.',
  })
  validationResults(@Root() { validationResults }: JobItem) {
    return validationResults;
  }
}
