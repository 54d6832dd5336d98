import { Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { field, input, list, NAME, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { AutoAccept } from '../acceptance/acceptance-settings.ts';
import type { Job } from '../jobs/entity.ts';
import { AttributeValueFilter } from '../products/filter.ts';

@InputType({ description: 'The products of a rule. Omitted fields do not restrict them.' })
export class GapSelection extends input({
  words: field(String, {
    maxLength: 256,
    nullable: true,
    description: 'The name or SKU contains each of these words, in any order, ignoring case.',
  }),
  brand: field(String, { maxLength: 128, nullable: true, description: 'Case and surrounding spaces are ignored.' }),
  category: field(String, {
    minLength: 1,
    maxLength: 1_024,
    nullable: true,
    description: 'This category, and those below it. Case is ignored.',
  }),
  attributes: list(AttributeValueFilter, { maxItems: 20, nullable: true, description: 'The product has all of these values.' }),
  parents: field(enumTypes.ParentFilter, { nullable: true, description: 'Default: parents and others.' }),
}) {}

@InputType({ description: 'A rule that fills gaps: which products and attributes, how, when, and what it may cost.' })
export class GapRuleInput extends input({
  name: field(String, { ...NAME, maxLength: 100 }),
  selection: field(GapSelection, {
    defaultValue: {},
    description: 'The products, without archived ones. Only those that lack a value are read. Default: all.',
  }),
  attributeSetId: field(ID, { nullable: true, description: 'Fill in the attributes of this set. Default: all active attributes.' }),
  attributeIds: list(ID, {
    minItems: 1,
    maxItems: 500,
    nullable: true,
    description: 'Fill in only these attributes. Takes precedence over `attributeSetId`.',
  }),
  modelType: field(enumTypes.ModelType),
  websearch: field(Boolean, { defaultValue: true, description: 'Also search the web. Ignored for parents.' }),
  agreement: field(Boolean, { defaultValue: false, description: 'Read the sources twice. Only with `pro-v1`.' }),
  autoAccept: field(AutoAccept, { nullable: true, description: 'Accept values without a person, like the jobs of people.' }),
  maxCredits: field(Float, {
    min: 1,
    max: 1_000_000_000,
    description: 'The credits that its jobs of a calendar month (UTC) may cost.',
  }),
  triggers: list(enumTypes.GapTrigger, { minItems: 1, maxItems: 3 }),
}) {}

@ObjectType({ description: 'The work of a rule if it looked for gaps now.' })
export class GapEstimate extends output({
  products: field(Int, 'Products that its jobs would read.'),
  gaps: field(Int, 'Values that these products lack.'),
  credits: field(Float, 'The highest cost of its jobs.'),
  checked: field(Int, 'Selected products that the estimate looked at in about two seconds.'),
  isComplete: field(Boolean, 'Whether it looked at all of them. Otherwise the other numbers are lower bounds.'),
}) {}

@ObjectType({ description: 'A job that a rule started to fill gaps.' })
export class GapRun extends output({
  gaps: field(Int, 'Values that its products lacked when it was created.'),
  gapsLeft: field(Int, { nullable: true, description: 'Those that its products lacked after it ended. Null until then.' }),
}) {
  job!: Job;
}
