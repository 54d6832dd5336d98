import { Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { column, columns, hidden, Table, Tenant } from '../../../platform/database/index.ts';
import { args, field, input, list, output, shared } from '../../../platform/fields/index.ts';
import { CursorPageOf, cursorArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { AttributeContentScalar, type AttributeValue, type Provenance } from '../attributes/attribute-content.ts';
import { AttributeValueType } from '../attributes/value-types.ts';

@ObjectType({ description: 'A value that a job wrote, with the value that it replaced.' })
@Table('catalog.proposals')
@Tenant()
export class Proposal extends columns({
  itemId: column('uuid', { primary: true, description: 'The job item that wrote the value.' }),
  slug: column('text', { primary: true, description: 'The slug of the attribute.' }),
  organizationId: hidden('uuid'),
  jobId: hidden('uuid'),
  productId: column('uuid'),
  confidence: column('double', '0 to 100.'),
  proposed: column(AttributeValueType, { type: 'json', description: 'The value that the job wrote.' }).as<AttributeValue>(),
  base: column(AttributeValueType, {
    type: 'json',
    nullable: true,
    description: 'The earlier value, which the job replaced.',
  }).as<AttributeValue>(),
  baseProvenance: hidden('json', { nullable: true }).as<Provenance>(),
  verdict: column(enumTypes.ReviewVerdict, { type: 'text', nullable: true, description: 'Null until the value is reviewed.' }),
  reviewedById: hidden('uuid', { nullable: true }),
  reviewedAt: column('datetime', { nullable: true, description: 'Null until the value is reviewed.' }),
  /** The rule that accepted the value. A decision of a person takes its place. */
  ruleId: hidden('uuid', { nullable: true }),
  /** The rule that would have accepted the value, if the value is part of its audit. Never shown, so that nobody judges it differently. */
  auditRuleId: hidden('uuid', { nullable: true }),
}) {}

@InputType({ description: 'The verdict on one value that a job wrote.' })
export class Decision extends input({
  slug: field(String, { minLength: 1, maxLength: 128, description: 'The slug of the attribute.' }),
  verdict: field(enumTypes.ReviewVerdict, '`accept` keeps the value, `edit` replaces it, and `reject` restores the earlier one.'),
  value: field(AttributeContentScalar, {
    nullable: true,
    description: 'The value to write instead; required to edit.',
  }).as<unknown>(),
  overrule: field(Boolean, {
    defaultValue: false,
    description: 'Replace another verdict on the value. Without it, such a decision is a `CONFLICT`.',
  }),
}) {}

@InputType({ description: 'Conditions on values to review. Omitted fields do not restrict them.' })
export class ReviewFilter extends input({
  jobId: field(ID, { nullable: true, description: 'The job that wrote the values.' }),
  attribute: field(String, { minLength: 1, maxLength: 128, nullable: true, description: 'The slug of an attribute.' }),
  category: field(String, {
    maxLength: 1_024,
    nullable: true,
    description: 'The category of the product when the job wrote the value, ignoring case.',
  }),
  confidenceBelow: field(Float, { min: 0, max: 100, nullable: true, description: 'Confidence below this, 0 to 100.' }),
  confidenceFrom: field(Float, { min: 0, max: 100, nullable: true, description: 'Confidence of at least this, 0 to 100.' }),
}) {}

@InputType({ description: 'Decisions on the values of one job item. The service applies all of them or none.' })
class ItemReview extends input({
  itemId: field(ID, 'A completed item of a job.'),
  decisions: list(Decision, { minItems: 1, maxItems: 500, description: 'At most one per attribute.' }),
}) {}

export class Review extends args({
  itemId: field(ID, 'A completed item of a job.'),
  decisions: list(Decision, {
    minItems: 1,
    maxItems: 500,
    description: 'At most one per attribute. The service applies all of them or none.',
  }),
}) {}

export class ReviewQueueArguments extends args(cursorArguments(20), {
  jobId: field(ID, { nullable: true, description: 'Only values that this job wrote.' }),
  filter: field(ReviewFilter, { nullable: true }),
}) {}

export class LearningArguments extends args({
  modelType: field(enumTypes.ModelType, { nullable: true, description: 'Only values of this tier.' }),
  attribute: field(String, { minLength: 1, maxLength: 128, nullable: true, description: 'The slug of an attribute.' }),
  precision: field(Float, {
    min: 0.5,
    max: 1,
    nullable: true,
    description:
      'The precision whose thresholds count, 0.5 to 1. Default: that of the attribute or of the organization, else 0.95.',
  }),
  limit: field(Int, { min: 1, max: 100, defaultValue: 50, description: 'Number of values, 1 to 100.' }),
}) {}

export class ReviewsArguments extends args({
  reviews: list(ItemReview, {
    minItems: 1,
    maxItems: 100,
    description: 'At most one per item, with at most 1,000 decisions in total.',
  }),
}) {}

export class MatchingReview extends args({
  filter: field(ReviewFilter),
  verdict: field(enumTypes.ReviewVerdict, 'Accept or reject.'),
  limit: field(Int, { min: 1, max: 500, defaultValue: 100, description: 'Number of values to decide, least confident first.' }),
  after: field(String, { maxLength: 2_000, nullable: true, description: 'The `endCursor` of the previous call.' }),
}) {}

@ObjectType({ description: 'A value that a job wrote.' })
@InputType('ReviewedValueInput', { description: 'A value that a job wrote.' })
export class ReviewedValue extends shared({
  itemId: field(ID, 'The job item that wrote the value.'),
  slug: field(String, { minLength: 1, maxLength: 128, description: 'The slug of the attribute.' }),
}) {}

export class ReviewedValues extends args({
  values: list(ReviewedValue, {
    minItems: 1,
    maxItems: 500,
    description: 'Values that were reviewed, such as `values` of a review.',
  }),
}) {}

@ObjectType({ description: 'Why values were not reviewed.' })
export class ReviewFailure extends output({
  itemId: field(ID),
  slug: field(String, { nullable: true, description: 'The slug of the attribute. Null if no decision on the item was applied.' }),
  message: field(String, 'Explains the refusal, for example that the value has changed since.'),
}) {}

@ObjectType({ description: 'The result of a review of several values.' })
export class ReviewResult extends output({
  decided: field(Int, 'Number of values that this request decided, without those that already had the verdict.'),
  endCursor: field(String, {
    nullable: true,
    description: 'Pass it as `after` to decide the next values. Null at the end of the queue.',
  }),
}) {
  values!: ReviewedValue[];

  failures!: ReviewFailure[];
}

@ObjectType({ description: 'One page of values to review.' })
export class ProposalPage extends CursorPageOf(Proposal, 'ProposalPage') {}
