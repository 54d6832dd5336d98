import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Directive, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { CursorPageOf, cursorArguments, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { SNAPSHOT } from '../../../platform/progress/index.ts';
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
@Table('catalog.jobs')
export class Job extends columns(Owned, {
  kind: column(enumTypes.JobKind),
  status: column(enumTypes.JobStatus, { initial: 'pending' }),
  modelType: column(enumTypes.ModelType),
  websearch: column('boolean', { nullable: true, description: 'Whether the job may search the web.' }),
  extractImages: column('boolean', { nullable: true, description: 'Whether the job collects product images.' }),
  includeExistingAttributes: column('boolean', { nullable: true, description: 'Whether the model gets the current values.' }),
  overwrite: column(enumTypes.OverwriteMode, { initial: 'all', description: 'The values that the job may replace.' }),
  useExamples: column('boolean', {
    initial: true,
    description: 'Whether the model learns from accepted values of the organization.',
  }),
  agreement: column('boolean', { initial: false, description: 'Whether the job reads the sources twice and compares the values.' }),
  autoAccept: column('double', {
    nullable: true,
    description: 'The wanted precision of values that the job accepts without a person. Null means the defaults.',
  }),
  attributeSetId: column('uuid', { nullable: true }),
  attributeIds: column('uuids', { nullable: true }),
  uploadedFileIds: column('uuids', { nullable: true, description: 'Uploaded files that the job reads.' }),
  totalFiles: column('integer', { nullable: true, description: 'Number of files that an import reads.' }),
  totalExtracted: column('integer', {
    nullable: true,
    description: 'Families, variants and standalone products that an import extracted.',
  }),
  rowsRead: column('integer', {
    nullable: true,
    description: 'Rows of tables that an import has read, without headers and empty rows.',
  }),
  prompt: column('text', { nullable: true, description: 'Instruction for an import, in plain language.' }),
  /** Whether imported products are enriched, with `enrichmentConfig`. */
  autoEnrich: hidden('boolean', { nullable: true }),
  enrichmentConfig: hidden('json', { nullable: true }).as<AutoEnrichment>(),
  /** The uses of the columns of the tables that an import reads without a model. The import defines their shape. */
  importMapping: hidden('json', { nullable: true }).as<object[]>(),
  importJobId: column('uuid', { nullable: true, description: 'The import whose items a `product-import` turns into products.' }),
  importOptions: hidden('json', { nullable: true }).as<ProductImportOptions>(),
  importCounts: hidden('json', { nullable: true }).as<ProductImportCounts>(),
  fileName: column('string', { nullable: true, length: 255, description: 'The CSV download is named after it.' }),
  inputColumns: column('array', {
    nullable: true,
    description: 'The columns of the submitted rows, in the order of the CSV download.',
  }),
  paused: column('boolean', { initial: false, description: 'A paused job starts no more items until `continueJob` resumes it.' }),
  pauseReason: column(enumTypes.PauseReason, { nullable: true, description: 'Null for a job that is not paused.' }),
  /** Items from this position on wait until the job continues. Earlier ones are the sample. */
  openUntil: hidden('integer', { nullable: true }),
  /** The job pauses before it spends more. `spent` is counted only if this is set. */
  maxCredits: hidden('credits', { nullable: true }),
  maxErrorRate: hidden('double', { nullable: true }),
  minConfidence: hidden('double', { nullable: true }),
  /** Number of values that models found, and the sum of their confidences. */
  valueCount: hidden('integer', { initial: 0 }),
  confidenceSum: hidden('double', { initial: 0 }),
  spent: hidden('credits', { initial: 0 }),
  /** The job whose stored sources are reused. */
  evidenceJobId: hidden('uuid', { nullable: true }),
  /** The job that this one repeats. */
  rerunOfId: hidden('uuid', { nullable: true }),
  /** The changes of a bulk edit. */
  edits: hidden('json', { nullable: true }).as<object[]>(),
  /** The bulk edit that this one undoes. */
  undoOfId: hidden('uuid', { nullable: true }),
  /** The rule that started the job to fill gaps. */
  gapRuleId: hidden('uuid', { nullable: true }),
  /** Hashes of the attributes whose gaps it fills, with the options of the job. */
  gapAttributes: hidden('array', { nullable: true, columnType: 'bigint[]' }),
  /** Missing values of its products when it was created. */
  gaps: hidden('integer', { nullable: true }),
  /** Those after it ended. Null until a check of the rule has counted them. */
  gapsLeft: hidden('integer', { nullable: true }),
  /** The format of the file of an export. */
  exportFormat: hidden('string', { nullable: true }).as<EnumValue<'ProductExportFormat'>>(),
  /** The columns of the file of an export. Null means all. */
  exportColumns: hidden('json', { nullable: true }).as<{
    fields: EnumValue<'ProductExportField'>[] | null;
    attributes: string[] | null;
  }>(),
  cost: column('credits', { initial: 0, description: 'Credits charged for completed items so far.' }),
  totalCount: column('integer', 'Number of items.'),
  processedCount: column('integer', { initial: 0, description: 'Items that have completed or failed.' }),
  successCount: column('integer', { initial: 0 }),
  failedCount: column('integer', { initial: 0 }),
  errorSummary: column('text', {
    nullable: true,
    description: 'Why items failed, if one reason applies to the whole job, or all items failed for the same reason.',
  }),
  sequence: column('count', {
    initial: 1,
    description: 'Number of the latest change. Pass it as `after` of `jobProgress` to receive only later changes.',
  }),
  createdById: hidden('uuid'),
  createdAt: column('datetime', { initial: clock.now }),
  startedAt: column('datetime', { nullable: true, description: 'Null until the job starts.' }),
  completedAt: column('datetime', { nullable: true, description: 'Null until the job ends.' }),
}) {}

/** One entry of the log that subscribers read: the ended items and the counters after the change. */
@Table('catalog.job_changes')
export class JobChange extends columns({
  jobId: hidden('uuid', { primary: true }),
  sequence: hidden('count', { primary: true }),
  status: hidden('string').as<EnumValue<'JobStatus'>>(),
  processedCount: hidden('integer'),
  successCount: hidden('integer'),
  failedCount: hidden('integer'),
  /** Items that ended with this change. */
  itemIds: hidden('uuids', { initial: [] }),
  at: hidden('datetime', { initial: clock.now }),
}) {}

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
@Table('catalog.job_items')
export class JobItem extends columns(Owned, {
  jobId: column('uuid'),
  ordinal: column('integer', 'Position in the request, starting at 0.'),
  /** Position in processing order. */
  turn: hidden('integer'),
  /** A phase starts after the previous ones have ended, so that parents wait for their variants. */
  phase: hidden('smallint', { initial: 0 }),
  productId: column('uuid', { nullable: true }),
  /** The page of a file that an import reads. */
  fileId: hidden('uuid', { nullable: true }),
  filePage: hidden('integer', { nullable: true }),
  /** The number of pages from that one on. */
  pageCount: hidden('integer', { initial: 1 }),
  /** The items of an import that become products together. */
  importItemIds: hidden('uuids', { nullable: true }),
  /** A hash of what the product had to read, in the job of a rule that fills gaps. Null for an item that failed before it was read. */
  gapInputs: hidden('bigint', { nullable: true }),
  /** Whether its work needs no model, so that it costs nothing. */
  withoutModel: hidden('boolean', { initial: false }),
  /** The kind of thing that `label` names. */
  subject: hidden('string', { nullable: true }).as<'brand' | 'category'>(),
  label: column('text', { nullable: true, description: 'Name of the brand or category.' }),
  inputData: column(GraphQLJSONObject, { type: 'json', nullable: true, columnType: 'json', description: 'The submitted row.' }).as<
    Record<string, unknown>
  >(),
  referenceData: column(ReferenceDataScalar, {
    type: 'json',
    nullable: true,
    description: 'The source of the values, for items of brands and categories.',
  }).as<ReferenceData>(),
  status: column(enumTypes.JobItemStatus, { initial: 'pending' }),
  startedAt: column('datetime', { nullable: true, description: 'Null until the item starts.' }),
  completedAt: column('datetime', { nullable: true, description: 'Null until the item ends.' }),
  errorMessage: column('text', { nullable: true, description: 'Null unless the item failed.' }),
  enrichedData: column(AttributeValuesScalar, {
    type: 'json',
    nullable: true,
    description: 'The values that the job filled in; null until the item completes.',
  }).as<AttributeValues>(),
  provenance: hidden('json', { nullable: true }).as<Provenances>(),
  exampleIds: column('uuids', { nullable: true, description: 'Products whose accepted values the model received as examples.' }),
  /** By attribute slug. The validation defines its shape and its GraphQL field. */
  validationResults: hidden('json', { nullable: true }).as<object>(),
  overallScore: column('decimal', {
    nullable: true,
    precision: 5,
    scale: 2,
    description: 'Score of a validation, 0 to 100 with two decimals.',
  }),
  /** The market analysis defines their shape and their GraphQL field. */
  results: hidden('json', { initial: [] }).as<object[]>(),
  /** Whether it was charged as a parent product, and is processed as one. Null until the item starts. */
  asParent: hidden('boolean', { nullable: true }),
  cost: column('credits', { initial: 0, description: 'Credits charged. A failed item costs nothing.' }),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

export class JobsArguments extends args(cursorArguments(10), {
  kind: field(enumTypes.JobKind, { nullable: true }),
  status: list(enumTypes.JobStatus, { nullable: true, description: 'Any of these statuses.' }),
  createdBy: field(ID, { nullable: true, description: 'The user who created the jobs.' }),
  createdSince: field(Date, { nullable: true, description: 'Created at this time or later.' }),
  createdBefore: field(Date, { nullable: true, description: 'Created before this time.' }),
}) {}

export class JobItemsArguments extends args(pageArguments(20), {
  jobId: field(ID),
  kind: field(enumTypes.JobKind, { nullable: true, description: 'A job of another kind is treated as not found.' }),
}) {}

@InputType({ description: 'Limits at which a job pauses until `continueJob` resumes it.' })
export class JobLimits extends input({
  sample: field(Int, { min: 1, max: 5_000, nullable: true, description: 'Pause after this number of items.' }),
  maxCredits: field(Float, {
    min: 0,
    max: 1e9,
    nullable: true,
    description: 'Pause before the job spends more credits than this.',
  }),
  maxErrorRate: field(Float, {
    min: 0,
    max: 1,
    nullable: true,
    description: 'Pause when the share of failed items exceeds this rate, from the tenth item on.',
  }),
  minConfidence: field(Float, {
    min: 0,
    max: 100,
    nullable: true,
    description: 'Pause when the mean calibrated confidence of the values found so far falls below this, from the tenth item on.',
  }),
}) {}

@ObjectType({ description: 'One page of jobs.' })
export class JobPage extends CursorPageOf(Job, 'JobPage') {}

@ObjectType({ description: 'One page of job items.' })
export class JobItemPage extends output(PageOf(JobItem, 'JobItemPage'), {
  job: field(Job),
}) {}

@ObjectType({ description: 'One or more consecutive changes of a job, or its current state.' })
export class JobUpdate extends output({
  sequence: field(
    Int,
    'Number of the last change in this update. Pass it as `after` to resume from here. 0 while further updates of a snapshot follow.',
  ),
  isSnapshot: field(Boolean, SNAPSHOT),
  status: field(enumTypes.JobStatus),
  processedCount: field(Int, 'Items that have completed or failed.'),
  successCount: field(Int),
  failedCount: field(Int),
  at: field(Date, 'Time of the last change in this update.'),
}) {
  jobId!: string;

  itemIds!: string[];
}
