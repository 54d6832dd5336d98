import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { PageOf, pageArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { JobItem } from '../jobs/entity.ts';
import { Brand, Category } from './entity.ts';
import type { SubmittedRow } from './subjects.ts';

export class LabelSlug extends args({
  slug: field(String, {
    minLength: 1,
    maxLength: 256,
    nullable: true,
    description:
      'Default: the name. It is lowercased, and each run of characters other than ASCII letters and digits becomes a hyphen. A timestamp is ' +
      'appended if the slug is taken.',
  }),
}) {}

@InputType()
export abstract class NewLabelJob extends input({
  rows: list(GraphQLJSONObject, {
    minItems: 1,
    maxItems: 2_000,
    description: 'One object per brand or category, with its name. The model also reads the other texts of the row.',
  }).as<SubmittedRow[]>(),
  inputColumns: list(String, { maxItems: 500, description: 'The columns of the rows, in the order of the CSV download.' }),
  fileName: field(String, {
    maxLength: 255,
    nullable: true,
    description: 'The CSV download is named after it. Should end in `.csv`.',
  }),
  modelType: field(enumTypes.ModelType, { defaultValue: 'budget-v1' }),
  attributeSetId: field(ID, { nullable: true, description: 'Fill in the attributes of this set. Default: all active attributes.' }),
  attributeIds: list(ID, {
    maxItems: 500,
    nullable: true,
    description: 'Fill in only these attributes. Takes precedence over `attributeSetId`.',
  }),
  uploadedFileIds: list(ID, { maxItems: 20, nullable: true, description: 'Uploaded files that serve as additional sources.' }),
  includeExistingAttributes: field(Boolean, {
    defaultValue: true,
    description: 'Give the model the latest values that a job filled in.',
  }),
}) {
  abstract useWebsearch: boolean;
}

@ObjectType({ description: 'One page of the CSV download of a job.' })
export class FilePage {
  @Field(() => String, { description: 'File name of the download.' })
  name!: string;

  @Field(() => [String], { description: 'The header. Identical on every page.' })
  columns!: string[];

  @Field(() => [[String]])
  rows!: string[][];

  @Field(() => String, { nullable: true, description: 'Cursor of the next page; null on the last page.' })
  next!: string | null;
}

@ObjectType({ description: 'One page of the enrichments of a brand or category.' })
export class LabelHistoryPage extends PageOf(JobItem, 'LabelHistoryPage') {}

export class BrandName extends args({
  name: field(String, { maxLength: 128, pattern: /\S/, description: 'Case and surrounding spaces are ignored.' }),
}) {}

export class BrandHistoryArguments extends pageArguments(10, 50) {}

@ObjectType({ description: 'The brand of the requested name.' })
export class CreatedBrand extends output({
  brand: field(Brand),
  created: field(Boolean, 'False if the brand existed before the request.'),
}) {}

@InputType({ description: 'A job that fills in attributes of brands.' })
export class NewBrandEnrichmentJob extends input(NewLabelJob, {
  useWebsearch: field(Boolean, { defaultValue: true, description: 'Search the web for brands without products.' }),
}) {}

export class CategoryName extends args({
  name: field(String, { maxLength: 1_024, pattern: /\S/, description: 'Case and surrounding spaces are ignored.' }),
}) {}

export class CategoryHistoryArguments extends pageArguments(10, 100) {}

@ObjectType({ description: 'The category of the requested name.' })
export class CreatedCategory extends output({
  category: field(Category),
  created: field(Boolean, 'False if the category existed before the request.'),
}) {}

@InputType({ description: 'A job that fills in attributes of categories.' })
export class NewProductCategoryEnrichmentJob extends input(NewLabelJob, {
  useWebsearch: field(Boolean, { defaultValue: false, description: 'Search the web for categories without products.' }),
}) {}
