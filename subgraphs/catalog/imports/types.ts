import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { PageOf, pageArguments } from '../../common/page.ts';
import { ImportItem } from './entity.ts';

@InputType({ description: 'How the products of an import are enriched.' })
export class EnrichmentConfig {
  @Field(() => wordTypes.ModelType, { nullable: true, description: 'That of the import when absent.' })
  modelType?: Word<'ModelType'> | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Search the web as well.' })
  websearch!: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'Collect product images from the pages read.' })
  extractImages!: boolean;

  @Field(() => Boolean, { defaultValue: true, description: 'Give the model the values that are there.' })
  includeExistingAttributes!: boolean;

  @Field(() => ID, { nullable: true })
  attributeSetId?: string | null;
}

@InputType({ description: 'An import: find the products that files list.' })
export class NewAiImportJob {
  @Limited({ maxItems: 5 })
  @Field(() => [ID], { nullable: true, description: 'Files that the REST endpoint has just stored.' })
  files?: string[] | null;

  @Limited({ maxItems: 5 })
  @Field(() => [ID], { nullable: true, description: 'Files that were uploaded before.' })
  uploadedFileIds?: string[] | null;

  @Field(() => wordTypes.ModelType, { defaultValue: 'pro-v1' })
  modelType!: Word<'ModelType'>;

  @Limited({ minLength: 10, maxLength: 10_000 })
  @Field(() => String, { nullable: true, description: 'What to look for, in words.' })
  prompt?: string | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Enrich what is imported.' })
  autoEnrich!: boolean;

  @Field(() => EnrichmentConfig, { nullable: true, description: 'Only with autoEnrich.' })
  enrichmentConfig?: EnrichmentConfig | null;
}

@InputType({ description: 'What may change on an import item. A field that is not sent stays as it is; null clears it.' })
export class ImportItemChange {
  @Limited({ minLength: 1, maxLength: 64, notNull: true })
  @Field(() => String, { nullable: true, description: 'The SKU that the product will have.' })
  sku?: string | null;

  @Limited({ minLength: 1, maxLength: 256, notNull: true })
  @Field(() => String, { nullable: true, description: 'What people call it.' })
  name?: string | null;

  @Limited({ maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Brand name.' })
  brand?: string | null;

  @Limited({ maxLength: 1024 })
  @Field(() => String, { nullable: true, description: 'Category text.' })
  category?: string | null;

  @Limited({ maxLength: 256 })
  @Field(() => String, { nullable: true })
  manufacturer?: string | null;

  @Limited({ maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Manufacturer part number.' })
  mpn?: string | null;
}

@ArgsType()
export class ImportItemsArguments extends pageArguments(200, 200) {
  @Field(() => ID)
  jobId!: string;

  @Limited({ maxLength: 256 })
  @Field(() => String, { defaultValue: '', description: 'Part of a name or SKU, in any case.' })
  searchQuery!: string;

  @Field(() => wordTypes.ImportSort, { defaultValue: 'name-asc', description: 'By name or by type.' })
  sort!: Word<'ImportSort'>;
}

@ArgsType()
export class FinalizeArguments {
  @Field(() => ID)
  jobId!: string;

  @Field(() => Boolean, { nullable: true, description: 'Everything that is not imported yet.' })
  all?: boolean | null;

  @Limited({ maxItems: 5_000 })
  @Field(() => [ID], { nullable: true, description: 'The items to import; required without `all`.' })
  itemIds?: string[] | null;

  @Limited({ maxItems: 5_000 })
  @Field(() => [ID], { nullable: true, description: 'Left out, with all.' })
  excludedIds?: string[] | null;
}

@ObjectType({ description: 'What a call of finalize came to.' })
export class Finalized {
  @Field(() => ID)
  jobId!: string;

  @Field(() => Int, { description: 'Items that became products.' })
  imported!: number;

  @Field(() => Int, { description: 'Items that could not; each says why.' })
  failed!: number;
}

@ObjectType()
export class ImportItemPage extends PageOf(ImportItem, 'ImportItemPage') {}
