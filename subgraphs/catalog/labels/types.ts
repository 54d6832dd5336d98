import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { PageOf } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { JobItem } from '../jobs/entity.ts';
import type { Row } from './label-rows.ts';

@ArgsType()
export class LabelSlug {
  @Limited({ minLength: 1, maxLength: 256 })
  @Field(() => String, {
    nullable: true,
    description:
      'Default: the name. It is lowercased, and each run of characters other than ASCII letters and digits becomes a hyphen. A timestamp is ' +
      'appended if the slug is taken.',
  })
  slug?: string | null;
}

@InputType()
export abstract class NewLabelJob {
  @Limited({ minItems: 1, maxItems: 2_000 })
  @Field(() => [GraphQLJSONObject], {
    description: 'One object per brand or category, with its name. The model also reads the other texts of the row.',
  })
  rows!: Row[];

  @Limited({ maxItems: 500 })
  @Field(() => [String], { description: 'The columns of the rows, in the order of the CSV download.' })
  inputColumns!: string[];

  @Limited({ maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'The CSV download is named after it. Should end in `.csv`.' })
  fileName?: string | null;

  @Field(() => enumTypes.ModelType, { defaultValue: 'budget-v1' })
  modelType!: EnumValue<'ModelType'>;

  @Field(() => ID, { nullable: true, description: 'Fill in the attributes of this set. Default: all active attributes.' })
  attributeSetId?: string | null;

  @Limited({ maxItems: 500 })
  @Field(() => [ID], { nullable: true, description: 'Fill in only these attributes. Takes precedence over `attributeSetId`.' })
  attributeIds?: string[] | null;

  @Limited({ maxItems: 20 })
  @Field(() => [ID], { nullable: true, description: 'Uploaded files that serve as additional sources.' })
  uploadedFileIds?: string[] | null;

  @Field(() => Boolean, { defaultValue: true, description: 'Give the model the latest values that a job filled in.' })
  includeExistingAttributes!: boolean;

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
