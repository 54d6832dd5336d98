import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Directive, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { type AttributeValues, AttributeValuesScalar, type Provenances } from '../attributes/attribute-content.ts';

/** Options of the enrichment that follows an import. */
interface AutoEnrichment {
  modelType?: EnumValue<'ModelType'> | null;
  websearch?: boolean;
  extractImages?: boolean;
  includeExistingAttributes?: boolean;
  attributeSetId?: string | null;
}

@ObjectType({ description: 'A background AI job over items of one organization.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'catalog', tableName: 'jobs' })
export class Job extends Owned {
  @Field(() => enumTypes.JobKind)
  @Property({ type: 'string' })
  kind!: EnumValue<'JobKind'>;

  @Field(() => enumTypes.JobStatus)
  @Property({ type: 'string' })
  status: Opt<EnumValue<'JobStatus'>> = 'pending';

  @Field(() => enumTypes.ModelType)
  @Property({ type: 'string' })
  modelType!: EnumValue<'ModelType'>;

  @Field(() => Boolean, { nullable: true, description: 'Whether the job may search the web.' })
  @Property({ type: 'boolean', nullable: true })
  websearch: boolean | null = null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the job collects product images.' })
  @Property({ type: 'boolean', nullable: true })
  extractImages: boolean | null = null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the model gets the current values.' })
  @Property({ type: 'boolean', nullable: true })
  includeExistingAttributes: boolean | null = null;

  @Field(() => enumTypes.OverwriteMode, { description: 'The values that the job may replace.' })
  @Property({ type: 'string' })
  overwrite: Opt<EnumValue<'OverwriteMode'>> = 'all';

  @Field(() => Boolean, { description: 'Whether the model learns from accepted values of the organization.' })
  @Property({ type: 'boolean' })
  useExamples: Opt<boolean> = true;

  @Field(() => Boolean, { description: 'Whether the job reads the sources twice and compares the values.' })
  @Property({ type: 'boolean' })
  agreement: Opt<boolean> = false;

  @Field(() => ID, { nullable: true })
  @Property({ type: 'uuid', nullable: true })
  attributeSetId: string | null = null;

  @Field(() => [ID], { nullable: true })
  @Property({ type: 'array', columnType: 'uuid[]', nullable: true })
  attributeIds: string[] | null = null;

  @Field(() => [ID], { nullable: true, description: 'Uploaded files that the job reads.' })
  @Property({ type: 'array', columnType: 'uuid[]', nullable: true })
  uploadedFileIds: string[] | null = null;

  @Field(() => Int, { nullable: true, description: 'Number of files that an import reads.' })
  @Property({ type: 'integer', nullable: true })
  totalFiles: number | null = null;

  @Field(() => Int, { nullable: true, description: 'Families, variants and standalone products that an import extracted.' })
  @Property({ type: 'integer', nullable: true })
  totalExtracted: number | null = null;

  @Field(() => String, { nullable: true, description: 'Instruction for an import, in plain language.' })
  @Property({ type: 'text', nullable: true })
  prompt: string | null = null;

  /** Whether imported products are enriched, with `enrichmentConfig`. */
  @Property({ type: 'boolean', nullable: true })
  autoEnrich: boolean | null = null;

  @Property({ type: 'json', nullable: true })
  enrichmentConfig: AutoEnrichment | null = null;

  @Field(() => String, { nullable: true, description: 'The CSV download is named after it.' })
  @Property({ type: 'string', length: 255, nullable: true })
  fileName: string | null = null;

  @Field(() => [String], { nullable: true, description: 'The columns of the submitted rows, in the order of the CSV download.' })
  @Property({ type: 'array', nullable: true })
  inputColumns: string[] | null = null;

  @Field(() => Boolean, { description: 'A paused job starts no more items until `continueJob` resumes it.' })
  @Property({ type: 'boolean' })
  paused: Opt<boolean> = false;

  @Field(() => enumTypes.PauseReason, { nullable: true, description: 'Null for a job that is not paused.' })
  @Property({ type: 'string', nullable: true })
  pauseReason: EnumValue<'PauseReason'> | null = null;

  /** Items from this turn on wait until the job continues. Earlier ones are the sample. */
  @Property({ type: 'integer', nullable: true })
  openUntil: number | null = null;

  /** The job pauses before it spends more. `spent` is counted only if this is set. */
  @Property({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number', nullable: true })
  maxCredits: number | null = null;

  @Property({ type: 'double', nullable: true })
  maxErrorRate: number | null = null;

  @Property({ type: 'double', nullable: true })
  minConfidence: number | null = null;

  /** Number of values that models found, and the sum of their confidences. */
  @Property({ type: 'integer' })
  valueCount: Opt<number> = 0;

  @Property({ type: 'double' })
  confidenceSum: Opt<number> = 0;

  @Property({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number' })
  spent: Opt<number> = 0;

  /** The job whose stored sources are reused. */
  @Property({ type: 'uuid', nullable: true })
  evidenceJobId: string | null = null;

  /** The job that this one repeats. */
  @Property({ type: 'uuid', nullable: true })
  rerunOfId: string | null = null;

  @Field(() => Float, { description: 'Credits charged for completed items so far.' })
  @Property({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number' })
  cost: Opt<number> = 0;

  @Field(() => Int, { description: 'Number of items.' })
  @Property({ type: 'integer' })
  totalCount!: number;

  @Field(() => Int, { description: 'Items that have completed or failed.' })
  @Property({ type: 'integer' })
  processedCount: Opt<number> = 0;

  @Field(() => Int)
  @Property({ type: 'integer' })
  successCount: Opt<number> = 0;

  @Field(() => Int)
  @Property({ type: 'integer' })
  failedCount: Opt<number> = 0;

  @Field(() => String, {
    nullable: true,
    description: 'Why items failed, if one reason applies to the whole job, or all items failed for the same reason.',
  })
  @Property({ type: 'text', nullable: true })
  errorSummary: string | null = null;

  @Field(() => Int, {
    description: 'Number of the latest change. Pass it as `after` of `jobProgress` to receive only later changes.',
  })
  @Property({ type: 'bigint', runtimeType: 'number' })
  sequence: Opt<number> = 1;

  @Property({ type: 'uuid' })
  createdById!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date, { nullable: true, description: 'Null until the job starts.' })
  @Property({ type: 'datetime', nullable: true })
  startedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'Null until the job ends.' })
  @Property({ type: 'datetime', nullable: true })
  completedAt: Date | null = null;
}

/** One entry of the log that subscribers read: the ended items and the counters after the change. */
@Entity({ schema: 'catalog', tableName: 'job_changes' })
export class JobChange {
  @PrimaryKey({ type: 'uuid' })
  jobId!: string;

  @PrimaryKey({ type: 'bigint', runtimeType: 'number' })
  sequence!: number;

  @Property({ type: 'string' })
  status!: EnumValue<'JobStatus'>;

  @Property({ type: 'integer' })
  processedCount!: number;

  @Property({ type: 'integer' })
  successCount!: number;

  @Property({ type: 'integer' })
  failedCount!: number;

  /** Items that ended with this change. */
  @Property({ type: 'array', columnType: 'uuid[]' })
  itemIds: Opt<string[]> = [];

  @Property({ type: 'datetime' })
  at: Opt<Date> = clock.now();
}

/** The sources of the enrichment of a brand or category. */
export type ReferenceData = { mode: 'products'; productIds: string[] } | { mode: 'websearch'; urls: string[] };

const ReferenceDataScalar = new GraphQLScalarType({
  ...GraphQLJSONObject.toConfig(),
  name: 'ReferenceData',
  description:
    'The source of the values of a brand or category: `mode` `products` with `productIds`, or `mode` `websearch` with `urls`.',
});

@ObjectType({ description: 'One item of a job.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'catalog', tableName: 'job_items' })
export class JobItem extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  jobId!: string;

  @Field(() => Int, { description: 'Position in the request, starting at 0.' })
  @Property({ type: 'integer' })
  ordinal!: number;

  /** Position in processing order. */
  @Property({ type: 'integer' })
  turn!: number;

  /** A phase starts after the previous ones have ended, so that parents wait for their variants. */
  @Property({ type: 'smallint' })
  phase: Opt<number> = 0;

  @Field(() => ID, { nullable: true })
  @Property({ type: 'uuid', nullable: true })
  productId: string | null = null;

  /** The page of a file that an import reads. */
  @Property({ type: 'uuid', nullable: true })
  fileId: string | null = null;

  @Property({ type: 'integer', nullable: true })
  filePage: number | null = null;

  /** The kind of thing that `label` names. */
  @Property({ type: 'string', nullable: true })
  subject: 'brand' | 'category' | null = null;

  @Field(() => String, { nullable: true, description: 'Name of the brand or category.' })
  @Property({ type: 'text', nullable: true })
  label: string | null = null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'The submitted row.' })
  @Property({ type: 'json', columnType: 'json', nullable: true })
  inputData: Record<string, unknown> | null = null;

  @Field(() => ReferenceDataScalar, {
    nullable: true,
    description: 'The source of the values, for items of brands and categories.',
  })
  @Property({ type: 'json', nullable: true })
  referenceData: ReferenceData | null = null;

  @Field(() => enumTypes.JobItemStatus)
  @Property({ type: 'string' })
  status: Opt<EnumValue<'JobItemStatus'>> = 'pending';

  @Field(() => Date, { nullable: true, description: 'Null until the item starts.' })
  @Property({ type: 'datetime', nullable: true })
  startedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'Null until the item ends.' })
  @Property({ type: 'datetime', nullable: true })
  completedAt: Date | null = null;

  @Field(() => String, { nullable: true, description: 'Null unless the item failed.' })
  @Property({ type: 'text', nullable: true })
  errorMessage: string | null = null;

  @Field(() => AttributeValuesScalar, {
    nullable: true,
    description: 'The values that the job filled in; null until the item completes.',
  })
  @Property({ type: 'json', nullable: true })
  enrichedData: AttributeValues | null = null;

  @Property({ type: 'json', nullable: true })
  provenance: Provenances | null = null;

  @Field(() => [ID], { nullable: true, description: 'Products whose accepted values the model received as examples.' })
  @Property({ type: 'array', columnType: 'uuid[]', nullable: true })
  exampleIds: string[] | null = null;

  /** By attribute slug. The validation defines its shape and its GraphQL field. */
  @Property({ type: 'json', nullable: true })
  validationResults: object | null = null;

  @Field(() => Float, { nullable: true, description: 'Score of a validation, 0 to 100 with two decimals.' })
  @Property({ type: 'decimal', precision: 5, scale: 2, runtimeType: 'number', nullable: true })
  overallScore: number | null = null;

  /** The market analysis defines their shape and their GraphQL field. */
  @Property({ type: 'json' })
  results: Opt<object[]> = [];

  /** Whether it was charged as a parent product, and is processed as one. Null until the item starts. */
  @Property({ type: 'boolean', nullable: true })
  asParent: boolean | null = null;

  @Field(() => Float, { description: 'Credits charged. A failed item costs nothing.' })
  @Property({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number' })
  cost: Opt<number> = 0;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
