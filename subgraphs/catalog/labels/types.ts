import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { PageOf } from '../../common/page.ts';
import { JobItem } from '../jobs/item-entity.ts';
import type { Row } from './rows.ts';

@ArgsType()
export class LabelSlug {
  @Limited({ minLength: 1, maxLength: 256 })
  @Field(() => String, { nullable: true, description: 'Made from the name when absent; a taken one gets a timestamp.' })
  slug?: string | null;
}

@InputType()
export abstract class NewLabelJob {
  @Limited({ minItems: 1, maxItems: 2_000 })
  @Field(() => [GraphQLJSONObject], { description: 'One object a row, each with a name.' })
  rows!: Row[];

  @Limited({ maxItems: 500 })
  @Field(() => [String], { description: 'The columns of the rows, in the order of the download.' })
  inputColumns!: string[];

  @Limited({ maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'Display name, best ending in .csv.' })
  fileName?: string | null;

  @Field(() => wordTypes.ModelType, { defaultValue: 'budget-v1' })
  modelType!: Word<'ModelType'>;

  @Field(() => ID, { nullable: true, description: 'Fill in the attributes of this set; all active attributes when absent.' })
  attributeSetId?: string | null;

  @Limited({ maxItems: 500 })
  @Field(() => [ID], { nullable: true, description: 'Fill in just these attributes.' })
  attributeIds?: string[] | null;

  @Limited({ maxItems: 20 })
  @Field(() => [ID], { nullable: true, description: 'Uploaded files to read the values from as well.' })
  uploadedFileIds?: string[] | null;

  @Field(() => Boolean, { defaultValue: true, description: 'Give the model the latest values that were filled in.' })
  includeExistingAttributes!: boolean;

  abstract useWebsearch: boolean;
}

@ObjectType({ description: 'A piece of a table that is too long for one answer.' })
export class FilePage {
  @Field(() => String, { description: 'The name of the file.' })
  name!: string;

  @Field(() => [String], { description: 'The header; the same on every page.' })
  columns!: string[];

  @Field(() => [[String]])
  rows!: string[][];

  @Field(() => String, { nullable: true, description: 'Names the page after this one; null on the last.' })
  next!: string | null;
}

@ObjectType()
export class LabelHistoryPage extends PageOf(JobItem, 'LabelHistoryPage') {}
