import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { ListSize, PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ONE_LINE } from '../../../schema/text.ts';
import { type AttributeContent, AttributeContentScalar } from '../attributes/attribute-content.ts';
import { ProductTexts } from '../products/types.ts';
import { ImportItem, ImportNote } from './entity.ts';

@InputType({ description: 'Options of the enrichment that follows an import.' })
export class EnrichmentConfig {
  @Field(() => enumTypes.ModelType, { nullable: true, description: 'Default: the model tier of the import.' })
  modelType?: EnumValue<'ModelType'> | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Also search the web.' })
  websearch!: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'Collect product images from the pages that the job reads.' })
  extractImages!: boolean;

  @Field(() => Boolean, { defaultValue: true, description: 'Give the model the current values.' })
  includeExistingAttributes!: boolean;

  @Field(() => ID, { nullable: true, description: 'Default: all active attributes.' })
  attributeSetId?: string | null;
}

@InputType({ description: 'A job that extracts products from files.' })
export class NewAiImportJob {
  @Limited({ maxItems: 5 })
  @Field(() => [ID], { nullable: true, description: 'Files that the REST endpoint has just stored.' })
  files?: string[] | null;

  @Limited({ maxItems: 5 })
  @Field(() => [ID], { nullable: true, description: 'Files that were uploaded earlier.' })
  uploadedFileIds?: string[] | null;

  @Field(() => enumTypes.ModelType, { defaultValue: 'pro-v1' })
  modelType!: EnumValue<'ModelType'>;

  @Limited({ minLength: 10, maxLength: 10_000 })
  @Field(() => String, { nullable: true, description: 'The data to extract, in plain language.' })
  prompt?: string | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Start enriching the products once they are imported.' })
  autoEnrich!: boolean;

  @Field(() => EnrichmentConfig, { nullable: true, description: 'Used only with `autoEnrich`.' })
  enrichmentConfig?: EnrichmentConfig | null;
}

@InputType({ description: 'The answer to a question about an import item.' })
export class ImportAnswer {
  @Limited({ maxLength: 200 })
  @Field(() => String, { description: 'The `key` of the question.' })
  key!: string;

  @Field(() => AttributeContentScalar, {
    nullable: true,
    description: 'The name, the value, or for duplicates the number of the row that counts. Null means that the cell has no value.',
  })
  answer?: AttributeContent;
}

@InputType({ description: 'Changes to an import item. Omitted fields stay unchanged; null clears a field.' })
export class ImportItemChange extends ProductTexts {
  @Limited({ minLength: 1, maxLength: 64, pattern: ONE_LINE, notNull: true })
  @Field(() => String, { nullable: true, description: 'The SKU that the product will have.' })
  declare sku?: string | null;

  @Limited({ maxItems: 500 })
  @Field(() => [ImportAnswer], { nullable: true, description: 'Answers to questions about the item.' })
  answers?: ImportAnswer[] | null;
}

@ArgsType()
export class ImportItemsArguments extends pageArguments(200, 200) {
  @Field(() => ID)
  jobId!: string;

  @Limited({ maxLength: 256 })
  @Field(() => String, { defaultValue: '', description: 'Part of a name or SKU, ignoring case.' })
  searchQuery!: string;

  @Field(() => enumTypes.ImportOrder, {
    defaultValue: 'file',
    description: 'Ignored if `sort` is given, which has only the orders of the REST API.',
  })
  orderBy!: EnumValue<'ImportOrder'>;

  @Field(() => enumTypes.ImportSort, { nullable: true })
  sort?: EnumValue<'ImportSort'> | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Only items with open questions.' })
  inQuestion!: boolean;
}

@ArgsType()
export class ImportNotesArguments extends pageArguments(50, 200) {
  @Field(() => ID)
  jobId!: string;

  @Field(() => enumTypes.ImportNoteKind, { nullable: true })
  kind?: EnumValue<'ImportNoteKind'> | null;
}

@ArgsType()
export class UpdateArguments {
  @Field(() => enumTypes.ImportMatch, { defaultValue: 'sku' })
  matchBy!: EnumValue<'ImportMatch'>;

  @Field(() => enumTypes.EmptyCells, { defaultValue: 'leave' })
  emptyCells!: EnumValue<'EmptyCells'>;

  @Field(() => enumTypes.OverwriteMode, {
    defaultValue: 'unreviewed',
    description: 'The values of existing products that the file may replace.',
  })
  overwrite!: EnumValue<'OverwriteMode'>;
}

@ArgsType()
export class FinalizeArguments extends UpdateArguments {
  @Field(() => enumTypes.ImportMode, { defaultValue: 'create' })
  mode!: EnumValue<'ImportMode'>;

  @Field(() => ID)
  jobId!: string;

  @Field(() => Boolean, { nullable: true, description: 'Import all items that are not imported yet.' })
  all?: boolean | null;

  @Limited({ maxItems: 5_000 })
  @Field(() => [ID], { nullable: true, description: 'The items to import. Required unless `all` is true.' })
  itemIds?: string[] | null;

  @Limited({ maxItems: 5_000 })
  @Field(() => [ID], { nullable: true, description: 'Items to skip when `all` is true.' })
  excludedIds?: string[] | null;
}

@ObjectType({ description: 'Numbers of items by their outcome.' })
export class ImportCounts {
  @Field(() => Int, { description: 'Items that became products.' })
  imported!: number;

  @Field(() => Int, { description: 'Imported items that created a product.' })
  created!: number;

  @Field(() => Int, { description: 'Imported items that changed a product.' })
  updated!: number;

  @Field(() => Int, { description: 'Imported items whose product was the same before.' })
  unchanged!: number;

  @Field(() => Int, { description: 'Items that could not be imported. Each has an `errorMessage`.' })
  failed!: number;
}

@ObjectType({ description: 'The result of importing extracted items.' })
export class Finalized extends ImportCounts {
  @Field(() => ID)
  jobId!: string;
}

@ObjectType({ description: 'One page of import items.' })
export class ImportItemPage extends PageOf(ImportItem, 'ImportItemPage') {}

@ObjectType({ description: 'One page of notes about rows, in the order of the files.' })
export class ImportNotePage extends PageOf(ImportNote, 'ImportNotePage') {}

@ObjectType({ description: 'The whereabouts of all rows that an import has read from tables.' })
export class ImportAccount {
  @Field(() => Int, { description: 'Rows below the headers, without empty ones.' })
  rowsRead!: number;

  @Field(() => Int, { description: 'Families, variants and standalone products.' })
  items!: number;

  @Field(() => Int, { description: 'Items with open questions.' })
  inQuestion!: number;

  @Field(() => Int, { description: 'Rows that state the same product as an earlier row, without a contradiction.' })
  merged!: number;

  @Field(() => Int, { description: 'Rows that state the same product as an earlier row and differ from it.' })
  duplicates!: number;

  @Field(() => Int, { description: 'Rows that became no product.' })
  skipped!: number;

  @ListSize(20)
  @Field(() => [String], { description: 'Pages of files that could not be read, with the reason; at most 20.' })
  unread!: string[];
}

@ObjectType({ description: 'A field or value of a product that an imported item changes.' })
export class ImportDifference {
  @Field(() => String, { description: 'The name of the field, or the slug of the attribute.' })
  field!: string;

  @Field(() => String, { description: 'The name of the field or attribute.' })
  label!: string;

  @Field(() => AttributeContentScalar, { nullable: true })
  before!: AttributeContent;

  @Field(() => AttributeContentScalar, { nullable: true, description: 'Null if the value is cleared.' })
  after!: AttributeContent;

  @Field(() => Boolean, { description: 'Whether the value stays, because `overwrite` protects it.' })
  isProtected!: boolean;
}
