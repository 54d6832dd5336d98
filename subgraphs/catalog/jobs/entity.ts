import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';

/** Options of the enrichment that follows an import. */
export interface AutoEnrichment {
  modelType?: Word<'ModelType'> | null;
  websearch?: boolean;
  extractImages?: boolean;
  includeExistingAttributes?: boolean;
  attributeSetId?: string | null;
}

@ObjectType({ description: 'A background AI job over items of one organization.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'catalog', tableName: 'jobs' })
export class Job extends Owned {
  @Field(() => wordTypes.JobKind)
  @Property({ type: 'string' })
  kind!: Word<'JobKind'>;

  @Field(() => wordTypes.JobStatus)
  @Property({ type: 'string' })
  status: Opt<Word<'JobStatus'>> = 'pending';

  @Field(() => wordTypes.ModelType)
  @Property({ type: 'string' })
  modelType!: Word<'ModelType'>;

  @Field(() => Boolean, { nullable: true, description: 'Whether the job may search the web.' })
  @Property({ type: 'boolean', nullable: true })
  websearch: boolean | null = null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the job collects product images.' })
  @Property({ type: 'boolean', nullable: true })
  extractImages: boolean | null = null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the model gets the current values.' })
  @Property({ type: 'boolean', nullable: true })
  includeExistingAttributes: boolean | null = null;

  @Field(() => wordTypes.OverwriteMode, { description: 'The values that the job may replace.' })
  @Property({ type: 'string' })
  overwrite: Opt<Word<'OverwriteMode'>> = 'all';

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

  @Field(() => wordTypes.PauseReason, { nullable: true, description: 'Null for a job that is not paused.' })
  @Property({ type: 'string', nullable: true })
  pauseReason: Word<'PauseReason'> | null = null;

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
  status!: Word<'JobStatus'>;

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
