import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Limited, NAME } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { AutoAccept } from '../acceptance/acceptance-settings.ts';
import type { Job } from '../jobs/entity.ts';
import { AttributeValueFilter } from '../products/filter.ts';

@InputType({ description: 'The products of a rule. Omitted fields do not restrict them.' })
export class GapSelection {
  @Limited({ maxLength: 256 })
  @Field(() => String, {
    nullable: true,
    description: 'The name or SKU contains each of these words, in any order, ignoring case.',
  })
  words?: string | null;

  @Limited({ maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Case and surrounding spaces are ignored.' })
  brand?: string | null;

  @Limited({ minLength: 1, maxLength: 1_024 })
  @Field(() => String, { nullable: true, description: 'This category, and those below it. Case is ignored.' })
  category?: string | null;

  @Limited({ maxItems: 20 })
  @Field(() => [AttributeValueFilter], { nullable: true, description: 'The product has all of these values.' })
  attributes?: AttributeValueFilter[] | null;

  @Field(() => enumTypes.ParentFilter, { nullable: true, description: 'Default: parents and others.' })
  parents?: EnumValue<'ParentFilter'> | null;
}

@InputType({ description: 'A rule that fills gaps: which products and attributes, how, when, and what it may cost.' })
export class GapRuleInput {
  @Limited({ ...NAME, maxLength: 100 })
  @Field(() => String)
  name!: string;

  @Field(() => GapSelection, {
    defaultValue: {},
    description: 'The products, without archived ones. Only those that lack a value are read. Default: all.',
  })
  selection!: GapSelection;

  @Field(() => ID, { nullable: true, description: 'Fill in the attributes of this set. Default: all active attributes.' })
  attributeSetId?: string | null;

  @Limited({ minItems: 1, maxItems: 500 })
  @Field(() => [ID], { nullable: true, description: 'Fill in only these attributes. Takes precedence over `attributeSetId`.' })
  attributeIds?: string[] | null;

  @Field(() => enumTypes.ModelType)
  modelType!: EnumValue<'ModelType'>;

  @Field(() => Boolean, { defaultValue: true, description: 'Also search the web. Ignored for parents.' })
  websearch!: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'Read the sources twice. Only with `pro-v1`.' })
  agreement!: boolean;

  @Field(() => AutoAccept, { nullable: true, description: 'Accept values without a person, like the jobs of people.' })
  autoAccept?: AutoAccept | null;

  @Limited({ min: 1, max: 1_000_000_000 })
  @Field(() => Float, { description: 'The credits that its jobs of a calendar month (UTC) may cost.' })
  maxCredits!: number;

  @Limited({ minItems: 1, maxItems: 3 })
  @Field(() => [enumTypes.GapTrigger])
  triggers!: EnumValue<'GapTrigger'>[];
}

@ObjectType({ description: 'The work of a rule if it looked for gaps now.' })
export class GapEstimate {
  @Field(() => Int, { description: 'Products that its jobs would read.' })
  products!: number;

  @Field(() => Int, { description: 'Values that these products lack.' })
  gaps!: number;

  @Field(() => Float, { description: 'The highest cost of its jobs.' })
  credits!: number;

  @Field(() => Int, { description: 'Selected products that the estimate looked at in about two seconds.' })
  checked!: number;

  @Field(() => Boolean, { description: 'Whether it looked at all of them. Otherwise the other numbers are lower bounds.' })
  isComplete!: boolean;
}

@ObjectType({ description: 'A job that a rule started to fill gaps.' })
export class GapRun {
  job!: Job;

  @Field(() => Int, { description: 'Values that its products lacked when it was created.' })
  gaps!: number;

  @Field(() => Int, { nullable: true, description: 'Those that its products lacked after it ended. Null until then.' })
  gapsLeft!: number | null;
}
