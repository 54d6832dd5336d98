import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Directive, ID, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
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

/** How items of an import become products. */
interface ProductImportOptions {
  mode: EnumValue<'ImportMode'>;
  matchBy: EnumValue<'ImportMatch'>;
  emptyCells: EnumValue<'EmptyCells'>;
  overwrite: EnumValue<'OverwriteMode'>;
}

/** Numbers of items of an import by their outcome. */
interface ProductImportCounts {
  imported: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

@ObjectType({ description: 'A background AI job over items of one organization.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'catalog', tableName: 'jobs' })
export class Job extends Owned {
  @FieldProperty(() => enumTypes.JobKind, { type: 'string' })
  kind!: EnumValue<'JobKind'>;

  @FieldProperty(() => enumTypes.JobStatus, { type: 'string' })
  status: Opt<EnumValue<'JobStatus'>> = 'pending';

  @FieldProperty(() => enumTypes.ModelType, { type: 'string' })
  modelType!: EnumValue<'ModelType'>;

  @FieldProperty({ type: 'boolean', nullable: true, description: 'Whether the job may search the web.' })
  websearch: boolean | null = null;

  @FieldProperty({ type: 'boolean', nullable: true, description: 'Whether the job collects product images.' })
  extractImages: boolean | null = null;

  @FieldProperty({ type: 'boolean', nullable: true, description: 'Whether the model gets the current values.' })
  includeExistingAttributes: boolean | null = null;

  @FieldProperty(() => enumTypes.OverwriteMode, { type: 'string', description: 'The values that the job may replace.' })
  overwrite: Opt<EnumValue<'OverwriteMode'>> = 'all';

  @FieldProperty({ type: 'boolean', description: 'Whether the model learns from accepted values of the organization.' })
  useExamples: Opt<boolean> = true;

  @FieldProperty({ type: 'boolean', description: 'Whether the job reads the sources twice and compares the values.' })
  agreement: Opt<boolean> = false;

  @FieldProperty({
    type: 'double',
    nullable: true,
    description: 'The wanted precision of values that the job accepts without a person. Null means the defaults.',
  })
  autoAccept: number | null = null;

  @FieldProperty({ type: 'uuid', nullable: true })
  attributeSetId: string | null = null;

  @FieldProperty(() => [ID], { type: 'array', columnType: 'uuid[]', nullable: true })
  attributeIds: string[] | null = null;

  @FieldProperty(() => [ID], {
    type: 'array',
    columnType: 'uuid[]',
    nullable: true,
    description: 'Uploaded files that the job reads.',
  })
  uploadedFileIds: string[] | null = null;

  @FieldProperty({ type: 'integer', nullable: true, description: 'Number of files that an import reads.' })
  totalFiles: number | null = null;

  @FieldProperty({
    type: 'integer',
    nullable: true,
    description: 'Families, variants and standalone products that an import extracted.',
  })
  totalExtracted: number | null = null;

  @FieldProperty({
    type: 'integer',
    nullable: true,
    description: 'Rows of tables that an import has read, without headers and empty rows.',
  })
  rowsRead: number | null = null;

  @FieldProperty({ type: 'text', nullable: true, description: 'Instruction for an import, in plain language.' })
  prompt: string | null = null;

  /** Whether imported products are enriched, with `enrichmentConfig`. */
  @Property({ type: 'boolean', nullable: true })
  autoEnrich: boolean | null = null;

  @Property({ type: 'json', nullable: true })
  enrichmentConfig: AutoEnrichment | null = null;

  /** The uses of the columns of the tables that an import reads without a model. The import defines their shape. */
  @Property({ type: 'json', nullable: true })
  importMapping: object[] | null = null;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The import whose items a `product-import` turns into products.' })
  importJobId: string | null = null;

  @Property({ type: 'json', nullable: true })
  importOptions: ProductImportOptions | null = null;

  @Property({ type: 'json', nullable: true })
  importCounts: ProductImportCounts | null = null;

  @FieldProperty({ type: 'string', length: 255, nullable: true, description: 'The CSV download is named after it.' })
  fileName: string | null = null;

  @FieldProperty({
    type: 'array',
    nullable: true,
    description: 'The columns of the submitted rows, in the order of the CSV download.',
  })
  inputColumns: string[] | null = null;

  @FieldProperty({ type: 'boolean', description: 'A paused job starts no more items until `continueJob` resumes it.' })
  paused: Opt<boolean> = false;

  @FieldProperty(() => enumTypes.PauseReason, { type: 'string', nullable: true, description: 'Null for a job that is not paused.' })
  pauseReason: EnumValue<'PauseReason'> | null = null;

  /** Items from this position on wait until the job continues. Earlier ones are the sample. */
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

  /** The changes of a bulk edit. */
  @Property({ type: 'json', nullable: true })
  edits: object[] | null = null;

  /** The bulk edit that this one undoes. */
  @Property({ type: 'uuid', nullable: true })
  undoOfId: string | null = null;

  /** The rule that started the job to fill gaps. */
  @Property({ type: 'uuid', nullable: true })
  gapRuleId: string | null = null;

  /** Hashes of the attributes whose gaps it fills, with the options of the job. */
  @Property({ type: 'array', columnType: 'bigint[]', nullable: true })
  gapAttributes: string[] | null = null;

  /** Missing values of its products when it was created. */
  @Property({ type: 'integer', nullable: true })
  gaps: number | null = null;

  /** Those after it ended. Null until a check of the rule has counted them. */
  @Property({ type: 'integer', nullable: true })
  gapsLeft: number | null = null;

  /** The format of the file of an export. */
  @Property({ type: 'string', nullable: true })
  exportFormat: EnumValue<'ProductExportFormat'> | null = null;

  /** The columns of the file of an export. Null means all. */
  @Property({ type: 'json', nullable: true })
  exportColumns: { fields: EnumValue<'ProductExportField'>[] | null; attributes: string[] | null } | null = null;

  @FieldProperty({
    type: 'decimal',
    precision: 16,
    scale: 4,
    runtimeType: 'number',
    description: 'Credits charged for completed items so far.',
  })
  cost: Opt<number> = 0;

  @FieldProperty({ type: 'integer', description: 'Number of items.' })
  totalCount!: number;

  @FieldProperty({ type: 'integer', description: 'Items that have completed or failed.' })
  processedCount: Opt<number> = 0;

  @FieldProperty({ type: 'integer' })
  successCount: Opt<number> = 0;

  @FieldProperty({ type: 'integer' })
  failedCount: Opt<number> = 0;

  @FieldProperty({
    type: 'text',
    nullable: true,
    description: 'Why items failed, if one reason applies to the whole job, or all items failed for the same reason.',
  })
  errorSummary: string | null = null;

  @FieldProperty({
    type: 'bigint',
    runtimeType: 'number',
    description: 'Number of the latest change. Pass it as `after` of `jobProgress` to receive only later changes.',
  })
  sequence: Opt<number> = 1;

  @Property({ type: 'uuid' })
  createdById!: string;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', nullable: true, description: 'Null until the job starts.' })
  startedAt: Date | null = null;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'Null until the job ends.' })
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
  @FieldProperty({ type: 'uuid' })
  jobId!: string;

  @FieldProperty({ type: 'integer', description: 'Position in the request, starting at 0.' })
  ordinal!: number;

  /** Position in processing order. */
  @Property({ type: 'integer' })
  turn!: number;

  /** A phase starts after the previous ones have ended, so that parents wait for their variants. */
  @Property({ type: 'smallint' })
  phase: Opt<number> = 0;

  @FieldProperty({ type: 'uuid', nullable: true })
  productId: string | null = null;

  /** The page of a file that an import reads. */
  @Property({ type: 'uuid', nullable: true })
  fileId: string | null = null;

  @Property({ type: 'integer', nullable: true })
  filePage: number | null = null;

  /** The number of pages from that one on. */
  @Property({ type: 'integer' })
  pageCount: Opt<number> = 1;

  /** The items of an import that become products together. */
  @Property({ type: 'array', columnType: 'uuid[]', nullable: true })
  importItemIds: string[] | null = null;

  /** A hash of what the product had to read, in the job of a rule that fills gaps. Null for an item that failed before it was read. */
  @Property({ type: 'bigint', nullable: true })
  gapInputs: string | null = null;

  /** Whether its work needs no model, so that it costs nothing. */
  @Property({ type: 'boolean' })
  withoutModel: Opt<boolean> = false;

  /** The kind of thing that `label` names. */
  @Property({ type: 'string', nullable: true })
  subject: 'brand' | 'category' | null = null;

  @FieldProperty({ type: 'text', nullable: true, description: 'Name of the brand or category.' })
  label: string | null = null;

  @FieldProperty(() => GraphQLJSONObject, { type: 'json', columnType: 'json', nullable: true, description: 'The submitted row.' })
  inputData: Record<string, unknown> | null = null;

  @FieldProperty(() => ReferenceDataScalar, {
    type: 'json',
    nullable: true,
    description: 'The source of the values, for items of brands and categories.',
  })
  referenceData: ReferenceData | null = null;

  @FieldProperty(() => enumTypes.JobItemStatus, { type: 'string' })
  status: Opt<EnumValue<'JobItemStatus'>> = 'pending';

  @FieldProperty({ type: 'datetime', nullable: true, description: 'Null until the item starts.' })
  startedAt: Date | null = null;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'Null until the item ends.' })
  completedAt: Date | null = null;

  @FieldProperty({ type: 'text', nullable: true, description: 'Null unless the item failed.' })
  errorMessage: string | null = null;

  @FieldProperty(() => AttributeValuesScalar, {
    type: 'json',
    nullable: true,
    description: 'The values that the job filled in; null until the item completes.',
  })
  enrichedData: AttributeValues | null = null;

  @Property({ type: 'json', nullable: true })
  provenance: Provenances | null = null;

  @FieldProperty(() => [ID], {
    type: 'array',
    columnType: 'uuid[]',
    nullable: true,
    description: 'Products whose accepted values the model received as examples.',
  })
  exampleIds: string[] | null = null;

  /** By attribute slug. The validation defines its shape and its GraphQL field. */
  @Property({ type: 'json', nullable: true })
  validationResults: object | null = null;

  @FieldProperty({
    type: 'decimal',
    precision: 5,
    scale: 2,
    runtimeType: 'number',
    nullable: true,
    description: 'Score of a validation, 0 to 100 with two decimals.',
  })
  overallScore: number | null = null;

  /** The market analysis defines their shape and their GraphQL field. */
  @Property({ type: 'json' })
  results: Opt<object[]> = [];

  /** Whether it was charged as a parent product, and is processed as one. Null until the item starts. */
  @Property({ type: 'boolean', nullable: true })
  asParent: boolean | null = null;

  @FieldProperty({
    type: 'decimal',
    precision: 16,
    scale: 4,
    runtimeType: 'number',
    description: 'Credits charged. A failed item costs nothing.',
  })
  cost: Opt<number> = 0;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
