import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ONE_LINE } from '../../../schema/text.ts';
import { ProductTexts } from '../products/types.ts';
import { ImportItem } from './entity.ts';

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

@InputType({ description: 'Changes to an import item. Omitted fields stay unchanged; null clears a field.' })
export class ImportItemChange extends ProductTexts {
  @Limited({ minLength: 1, maxLength: 64, pattern: ONE_LINE, notNull: true })
  @Field(() => String, { nullable: true, description: 'The SKU that the product will have.' })
  declare sku?: string | null;
}

@ArgsType()
export class ImportItemsArguments extends pageArguments(200, 200) {
  @Field(() => ID)
  jobId!: string;

  @Limited({ maxLength: 256 })
  @Field(() => String, { defaultValue: '', description: 'Part of a name or SKU, ignoring case.' })
  searchQuery!: string;

  @Field(() => enumTypes.ImportSort, { defaultValue: 'name-asc' })
  sort!: EnumValue<'ImportSort'>;
}

@ArgsType()
export class FinalizeArguments {
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

@ObjectType({ description: 'The result of importing extracted items.' })
export class Finalized {
  @Field(() => ID)
  jobId!: string;

  @Field(() => Int, { description: 'Items that became products.' })
  imported!: number;

  @Field(() => Int, { description: 'Items that could not be imported. Each has an `errorMessage`.' })
  failed!: number;
}

@ObjectType({ description: 'One page of import items.' })
export class ImportItemPage extends PageOf(ImportItem, 'ImportItemPage') {}
