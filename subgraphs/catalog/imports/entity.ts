import { ID, InputType, Int, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ONE_LINE } from '../../../schema/text.ts';
import { type AttributeContent, AttributeContentScalar } from '../attributes/attribute-content.ts';
import { ProductTexts } from '../products/types.ts';
import { ImportData, type ImportDetails, noDetails } from './data.ts';

@ObjectType({ description: 'A family, variant or standalone product that an import extracted from its files.' })
@Table('catalog.import_items')
export class ImportItem extends columns(Owned, {
  jobId: hidden('uuid'),
  parentItemId: column('uuid', { nullable: true, description: 'The family of a variant.' }),
  type: column(enumTypes.ImportItemType),
  status: column(enumTypes.JobItemStatus, { initial: 'pending', description: 'Stays `pending` until the item is imported.' }).as<
    'pending' | 'completed' | 'failed'
  >(),
  errorMessage: column('text', { nullable: true, description: 'Null unless the item could not be imported.' }),
  /** Identifies the same product or family on several pages. */
  matchKey: hidden('text'),
  name: hidden('text'),
  sku: hidden('text'),
  data: column(ImportData, { type: 'json', description: 'The fields of the product as the files state them.' }),
  /** Values, source and questions, which fields of their own expose. */
  details: hidden('json', { initial: noDetails }).as<ImportDetails>(),
  /** Order of the rows in the files. */
  position: hidden('count', { initial: 0 }),
  questionCount: column('integer', { initial: 0, description: 'Number of open questions about the item.' }),
  childCount: column('integer', { initial: 0, description: 'Number of variants of a family.' }),
  productId: column('uuid', { nullable: true, description: 'The product that the item became. Null until it is imported.' }),
  createdAt: hidden('datetime', { initial: clock.now }),
}) {}

@ObjectType({ description: 'A row of a file that became no item of its own, and why.' })
@Table('catalog.import_notes')
export class ImportNote extends columns(Owned, {
  jobId: hidden('uuid'),
  kind: column(enumTypes.ImportNoteKind),
  file: column('text', 'The name of the file.'),
  sheet: column('text', 'The name of the sheet; `CSV` for CSV files.'),
  row: column('integer', 'The number of the row as a spreadsheet shows it.'),
  position: hidden('count'),
  itemId: column('uuid', { nullable: true, description: 'The item that has the product of the row.' }),
  message: column('text', 'The reason, in one sentence.'),
}) {}

@InputType({ description: 'Options of the enrichment that follows an import.' })
class EnrichmentConfig extends input({
  modelType: field(enumTypes.ModelType, { nullable: true, description: 'Default: the model tier of the import.' }),
  websearch: field(Boolean, { defaultValue: false, description: 'Also search the web.' }),
  extractImages: field(Boolean, { defaultValue: false, description: 'Collect product images from the pages that the job reads.' }),
  includeExistingAttributes: field(Boolean, { defaultValue: true, description: 'Give the model the current values.' }),
  attributeSetId: field(ID, { nullable: true, description: 'Default: all active attributes.' }),
}) {}

@InputType({ description: 'A job that extracts products from files.' })
export class NewAiImportJob extends input({
  files: list(ID, { maxItems: 5, nullable: true, description: 'Files that the REST endpoint has just stored.' }),
  uploadedFileIds: list(ID, { maxItems: 5, nullable: true, description: 'Files that were uploaded earlier.' }),
  modelType: field(enumTypes.ModelType, { defaultValue: 'pro-v1' }),
  prompt: field(String, {
    minLength: 10,
    maxLength: 10_000,
    nullable: true,
    description: 'The data to extract, in plain language.',
  }),
  autoEnrich: field(Boolean, { defaultValue: false, description: 'Start enriching the products once they are imported.' }),
  enrichmentConfig: field(EnrichmentConfig, { nullable: true, description: 'Used only with `autoEnrich`.' }),
}) {}

@InputType({ description: 'The answer to a question about an import item.' })
export class ImportAnswer extends input({
  key: field(String, { maxLength: 200, description: 'The `key` of the question.' }),
  answer: field(AttributeContentScalar, {
    nullable: true,
    description: 'The name, the value, or for duplicates the number of the row that counts. Null means that the cell has no value.',
  }).as<AttributeContent>(),
}) {}

@InputType({ description: 'Changes to an import item. Omitted fields stay unchanged; null clears a field.' })
export class ImportItemChange extends input(ProductTexts, {
  sku: field(String, {
    minLength: 1,
    maxLength: 64,
    pattern: ONE_LINE,
    notNull: true,
    nullable: true,
    description: 'The SKU that the product will have.',
  }),
  answers: list(ImportAnswer, { maxItems: 500, nullable: true, description: 'Answers to questions about the item.' }),
}) {}

export class ImportItemsArguments extends args(pageArguments(200, 200), {
  jobId: field(ID),
  searchQuery: field(String, { maxLength: 256, defaultValue: '', description: 'Part of a name or SKU, ignoring case.' }),
  orderBy: field(enumTypes.ImportOrder, {
    defaultValue: 'file',
    description: 'Ignored if `sort` is given, which has only the orders of the REST API.',
  }),
  sort: field(enumTypes.ImportSort, { nullable: true }),
  inQuestion: field(Boolean, { defaultValue: false, description: 'Only items with open questions.' }),
}) {}

export class ImportNotesArguments extends args(pageArguments(50, 200), {
  jobId: field(ID),
  kind: field(enumTypes.ImportNoteKind, { nullable: true }),
}) {}

export class UpdateArguments extends args({
  matchBy: field(enumTypes.ImportMatch, { defaultValue: 'sku' }),
  emptyCells: field(enumTypes.EmptyCells, { defaultValue: 'leave' }),
  overwrite: field(enumTypes.OverwriteMode, {
    defaultValue: 'unreviewed',
    description: 'The values of existing products that the file may replace.',
  }),
}) {}

export class FinalizeArguments extends args(UpdateArguments, {
  mode: field(enumTypes.ImportMode, { defaultValue: 'create' }),
  jobId: field(ID),
  all: field(Boolean, { nullable: true, description: 'Import all items that are not imported yet.' }),
  itemIds: list(ID, { maxItems: 5_000, nullable: true, description: 'The items to import. Required unless `all` is true.' }),
  excludedIds: list(ID, { maxItems: 5_000, nullable: true, description: 'Items to skip when `all` is true.' }),
}) {}

@ObjectType({ description: 'Numbers of items by their outcome.' })
export class ImportCounts extends output({
  imported: field(Int, 'Items that became products.'),
  created: field(Int, 'Imported items that created a product.'),
  updated: field(Int, 'Imported items that changed a product.'),
  unchanged: field(Int, 'Imported items whose product was the same before.'),
  failed: field(Int, 'Items that could not be imported. Each has an `errorMessage`.'),
}) {}

@ObjectType({ description: 'The result of importing extracted items.' })
export class Finalized extends output(ImportCounts, {
  jobId: field(ID),
}) {}

@ObjectType({ description: 'One page of import items.' })
export class ImportItemPage extends PageOf(ImportItem, 'ImportItemPage') {}

@ObjectType({ description: 'One page of notes about rows, in the order of the files.' })
export class ImportNotePage extends PageOf(ImportNote, 'ImportNotePage') {}

@ObjectType({ description: 'The whereabouts of all rows that an import has read from tables.' })
export class ImportAccount extends output({
  rowsRead: field(Int, 'Rows below the headers, without empty ones.'),
  items: field(Int, 'Families, variants and standalone products.'),
  inQuestion: field(Int, 'Items with open questions.'),
  merged: field(Int, 'Rows that state the same product as an earlier row, without a contradiction.'),
  duplicates: field(Int, 'Rows that state the same product as an earlier row and differ from it.'),
  skipped: field(Int, 'Rows that became no product.'),
  unread: list(String, { assumedSize: 20, description: 'Pages of files that could not be read, with the reason; at most 20.' }),
}) {}

@ObjectType({ description: 'A field or value of a product that an imported item changes.' })
export class ImportDifference extends output({
  field: field(String, 'The name of the field, or the slug of the attribute.'),
  label: field(String, 'The name of the field or attribute.'),
  before: field(AttributeContentScalar, { nullable: true }).as<AttributeContent>(),
  after: field(AttributeContentScalar, { nullable: true, description: 'Null if the value is cleared.' }).as<AttributeContent>(),
  isProtected: field(Boolean, 'Whether the value stays, because `overwrite` protects it.'),
}) {}
