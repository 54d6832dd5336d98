import { GraphQLJSONObject } from 'graphql-scalars';
import { Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { field, input, list, NAME, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { AutoAccept } from '../acceptance/entity.ts';
import type { Job } from '../jobs/entity.ts';
import { AttributeValueFilter } from '../products/filter.ts';

@ObjectType({ description: 'A rule that starts enrichment jobs by itself for products that lack values.' })
@Table('catalog.gap_rules')
export class GapRule extends columns(Owned, {
  name: column('text', 'Unique in the organization, ignoring case.'),
  selection: column(GraphQLJSONObject, {
    type: 'json',
    description: 'The products, like `selection` of the input.',
  }).as<GapSelection>(),
  attributeSetId: column(ID, { type: 'uuid', nullable: true }),
  attributeIds: column('uuids', { nullable: true }),
  modelType: column(enumTypes.ModelType, { type: 'text' }),
  websearch: column('boolean', 'Whether its jobs also search the web.'),
  agreement: column('boolean', 'Whether its jobs read the sources twice.'),
  autoAccept: column('double', { nullable: true, description: 'The precision at which its jobs accept values without a person.' }),
  maxCredits: column(Float, { type: 'credits', description: 'The credits that its jobs of a calendar month (UTC) may cost.' }),
  triggers: column([enumTypes.GapTrigger], { type: 'array', description: 'When it looks for products.' }),
  paused: column('boolean', { initial: false, description: 'A paused rule starts no jobs.' }),
  haltedBy: column(enumTypes.GapRuleHalt, {
    type: 'text',
    nullable: true,
    description: 'The reason for which the rule starts no jobs. Null if there is none, or if a person paused it.',
  }),
  createdById: hidden('uuid'),
  createdAt: column('datetime', { initial: clock.now }),
  isScanning: column('boolean', { initial: true, description: 'Whether a check of all products is under way or about to begin.' }),
  checkedAt: column('datetime', { nullable: true, description: 'When it last looked for products.' }),
}) {}

@InputType({ description: 'The products of a rule. Omitted fields do not restrict them.' })
class GapSelection extends input({
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
