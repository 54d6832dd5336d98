import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { FieldProperty, Tenant } from '../../../platform/database/index.ts';
import { Limited } from '../../../platform/input/index.ts';
import { CursorPageOf, cursorArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { AttributeContentScalar, type AttributeValue, type Provenance } from '../attributes/attribute-content.ts';
import { AttributeValueType } from '../attributes/value-types.ts';

@ObjectType({ description: 'A value that a job wrote, with the value that it replaced.' })
@Entity({ schema: 'catalog', tableName: 'proposals' })
@Tenant()
export class Proposal {
  @Field(() => ID, { description: 'The job item that wrote the value.' })
  @PrimaryKey({ type: 'uuid' })
  itemId!: string;

  @Field(() => String, { description: 'The slug of the attribute.' })
  @PrimaryKey({ type: 'text' })
  slug!: string;

  @Property({ type: 'uuid' })
  organizationId!: string;

  @Property({ type: 'uuid' })
  jobId!: string;

  @FieldProperty({ type: 'uuid' })
  productId!: string;

  @FieldProperty({ type: 'double', description: '0 to 100.' })
  confidence!: number;

  @FieldProperty(() => AttributeValueType, { type: 'json', description: 'The value that the job wrote.' })
  proposed!: AttributeValue;

  @FieldProperty(() => AttributeValueType, {
    type: 'json',
    nullable: true,
    description: 'The earlier value, which the job replaced.',
  })
  base: AttributeValue | null = null;

  @Property({ type: 'json', nullable: true })
  baseProvenance: Provenance | null = null;

  @FieldProperty(() => enumTypes.ReviewVerdict, { type: 'text', nullable: true, description: 'Null until the value is reviewed.' })
  verdict: EnumValue<'ReviewVerdict'> | null = null;

  @Property({ type: 'uuid', nullable: true })
  reviewedById: string | null = null;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'Null until the value is reviewed.' })
  reviewedAt: Date | null = null;

  /** The rule that accepted the value. A decision of a person takes its place. */
  @Property({ type: 'uuid', nullable: true })
  ruleId: string | null = null;

  /** The rule that would have accepted the value, if the value is part of its audit. Never shown, so that nobody judges it differently. */
  @Property({ type: 'uuid', nullable: true })
  auditRuleId: string | null = null;
}

@InputType({ description: 'The verdict on one value that a job wrote.' })
export class Decision {
  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { description: 'The slug of the attribute.' })
  slug!: string;

  @Field(() => enumTypes.ReviewVerdict, {
    description: '`accept` keeps the value, `edit` replaces it, and `reject` restores the earlier one.',
  })
  verdict!: EnumValue<'ReviewVerdict'>;

  @Field(() => AttributeContentScalar, { nullable: true, description: 'The value to write instead; required to edit.' })
  value?: unknown;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Replace another verdict on the value. Without it, such a decision is a `CONFLICT`.',
  })
  overrule?: boolean;
}

@InputType({ description: 'Conditions on values to review. Omitted fields do not restrict them.' })
export class ReviewFilter {
  @Field(() => ID, { nullable: true, description: 'The job that wrote the values.' })
  jobId?: string | null;

  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'The slug of an attribute.' })
  attribute?: string | null;

  @Limited({ maxLength: 1_024 })
  @Field(() => String, { nullable: true, description: 'The category of the product when the job wrote the value, ignoring case.' })
  category?: string | null;

  @Limited({ min: 0, max: 100 })
  @Field(() => Float, { nullable: true, description: 'Confidence below this, 0 to 100.' })
  confidenceBelow?: number | null;

  @Limited({ min: 0, max: 100 })
  @Field(() => Float, { nullable: true, description: 'Confidence of at least this, 0 to 100.' })
  confidenceFrom?: number | null;
}

@InputType({ description: 'Decisions on the values of one job item. The service applies all of them or none.' })
class ItemReview {
  @Field(() => ID, { description: 'A completed item of a job.' })
  itemId!: string;

  @Limited({ minItems: 1, maxItems: 500 })
  @Field(() => [Decision], { description: 'At most one per attribute.' })
  decisions!: Decision[];
}

@ArgsType()
export class Review {
  @Field(() => ID, { description: 'A completed item of a job.' })
  itemId!: string;

  @Limited({ minItems: 1, maxItems: 500 })
  @Field(() => [Decision], { description: 'At most one per attribute. The service applies all of them or none.' })
  decisions!: Decision[];
}

@ArgsType()
export class ReviewQueueArguments extends cursorArguments(20) {
  @Field(() => ID, { nullable: true, description: 'Only values that this job wrote.' })
  jobId?: string | null;

  @Field(() => ReviewFilter, { nullable: true })
  filter?: ReviewFilter | null;
}

@ArgsType()
export class LearningArguments {
  @Field(() => enumTypes.ModelType, { nullable: true, description: 'Only values of this tier.' })
  modelType?: EnumValue<'ModelType'> | null;

  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'The slug of an attribute.' })
  attribute?: string | null;

  @Limited({ min: 0.5, max: 1 })
  @Field(() => Float, {
    nullable: true,
    description:
      'The precision whose thresholds count, 0.5 to 1. Default: that of the attribute or of the organization, else 0.95.',
  })
  precision?: number | null;

  @Limited({ min: 1, max: 100 })
  @Field(() => Int, { defaultValue: 50, description: 'Number of values, 1 to 100.' })
  limit!: number;
}

@ArgsType()
export class ReviewsArguments {
  @Limited({ minItems: 1, maxItems: 100 })
  @Field(() => [ItemReview], { description: 'At most one per item, with at most 1,000 decisions in total.' })
  reviews!: ItemReview[];
}

@ArgsType()
export class MatchingReview {
  @Field(() => ReviewFilter)
  filter!: ReviewFilter;

  @Field(() => enumTypes.ReviewVerdict, { description: 'Accept or reject.' })
  verdict!: EnumValue<'ReviewVerdict'>;

  @Limited({ min: 1, max: 500 })
  @Field(() => Int, { defaultValue: 100, description: 'Number of values to decide, least confident first.' })
  limit!: number;

  @Limited({ maxLength: 2_000 })
  @Field(() => String, { nullable: true, description: 'The `endCursor` of the previous call.' })
  after?: string | null;
}

@ObjectType({ description: 'A value that a job wrote.' })
@InputType('ReviewedValueInput', { description: 'A value that a job wrote.' })
export class ReviewedValue {
  @Field(() => ID, { description: 'The job item that wrote the value.' })
  itemId!: string;

  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { description: 'The slug of the attribute.' })
  slug!: string;
}

@ArgsType()
export class ReviewedValues {
  @Limited({ minItems: 1, maxItems: 500 })
  @Field(() => [ReviewedValue], { description: 'Values that were reviewed, such as `values` of a review.' })
  values!: ReviewedValue[];
}

@ObjectType({ description: 'Why values were not reviewed.' })
export class ReviewFailure {
  @Field(() => ID)
  itemId!: string;

  @Field(() => String, { nullable: true, description: 'The slug of the attribute. Null if no decision on the item was applied.' })
  slug!: string | null;

  @Field(() => String, { description: 'Explains the refusal, for example that the value has changed since.' })
  message!: string;
}

@ObjectType({ description: 'The result of a review of several values.' })
export class ReviewResult {
  @Field(() => Int, { description: 'Number of values that this request decided, without those that already had the verdict.' })
  decided!: number;

  values!: ReviewedValue[];

  failures!: ReviewFailure[];

  @Field(() => String, {
    nullable: true,
    description: 'Pass it as `after` to decide the next values. Null at the end of the queue.',
  })
  endCursor!: string | null;
}

@ObjectType({ description: 'One page of values to review.' })
export class ProposalPage extends CursorPageOf(Proposal, 'ProposalPage') {}
