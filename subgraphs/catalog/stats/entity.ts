import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { ArgsType, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { Tenant } from '../../../platform/database/index.ts';
import { Limited } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Attribute } from '../attributes/entity.ts';
import { Job } from '../jobs/entity.ts';

export type CounterKind = 'value' | 'confidence' | 'job' | 'review' | 'open' | 'written' | 'accepted';

/** One part of a count that triggers maintain. The count is the sum of its slots, which avoids contention between transactions. */
@Entity({ schema: 'catalog', tableName: 'counters' })
@Tenant()
export class Counter {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'text' })
  kind!: CounterKind;

  @PrimaryKey({ type: 'text' })
  key!: string;

  @PrimaryKey({ type: 'smallint' })
  slot!: number;

  @Property({ type: 'bigint', runtimeType: 'number' })
  count!: number;

  @Property({ type: 'decimal', columnType: 'numeric', runtimeType: 'number' })
  sum!: number;
}

@ObjectType({ description: 'How completely the products of the organization have one attribute.' })
export class AttributeStats {
  @Field(() => Attribute)
  attribute!: Attribute;

  @Field(() => Int, { description: 'Number of products with a value.' })
  filled!: number;

  @Field(() => Float, { description: 'Share of all products that have a value, 0 to 1.' })
  fillRate!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Mean confidence of the values that jobs wrote, 0 to 100. Null if jobs wrote none.',
  })
  meanConfidence!: number | null;

  @Field(() => Int, { description: 'Number of values that nobody has reviewed yet.' })
  unreviewed!: number;
}

@ObjectType({
  description: 'Counts of the products that are not archived. They are updated as products change, so reading them is cheap.',
})
export class CatalogStats {
  @Field(() => Int, { description: 'Number of products, including parents and variants.' })
  products!: number;

  @Field(() => Int, { description: 'Number of products that a job has enriched.' })
  enriched!: number;

  @Field(() => Int, { description: 'Number of products that group variants.' })
  parents!: number;
}

@ObjectType({ description: 'The number of jobs of one kind and status.' })
export class JobStats {
  @Field(() => enumTypes.JobKind)
  kind!: EnumValue<'JobKind'>;

  @Field(() => enumTypes.JobStatus)
  status!: EnumValue<'JobStatus'>;

  @Field(() => Int)
  count!: number;
}

@ObjectType({ description: 'The credits used on one day, for one kind of work, or by one job.' })
export class CreditUsageRow {
  @Field(() => String, { nullable: true, description: 'UTC day as `YYYY-MM-DD`, if grouped by day.' })
  day?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A kind of job, `chat`, `indexing` or `retrieval-test`, if grouped by kind.',
  })
  kind?: string | null;

  @Field(() => Job, { nullable: true, description: 'If grouped by job.' })
  job?: Job | null;

  @Field(() => Float, { description: 'Credits charged, minus refunds.' })
  credits!: number;
}

@ObjectType({ description: 'The credits that jobs, chats and knowledge sources used in a period.' })
export class CreditUsage {
  @Field(() => Float, { description: 'Credits charged in the period, minus refunds.' })
  total!: number;

  rows!: CreditUsageRow[];
}

@ArgsType()
export class CreditUsageArguments {
  @Field(() => enumTypes.CreditUsageGroup)
  by!: EnumValue<'CreditUsageGroup'>;

  @Field(() => Date, { nullable: true, description: 'Start of the period, a UTC day. Default: 30 days before its end.' })
  since?: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'End of the period, a UTC day that it includes. Default: today. At most 366 days.',
  })
  until?: Date | null;
}

@ArgsType()
export class JobEstimateArguments {
  @Field(() => enumTypes.JobKind)
  kind!: EnumValue<'JobKind'>;

  @Field(() => enumTypes.ModelType, { defaultValue: 'budget-v1' })
  modelType!: EnumValue<'ModelType'>;

  @Limited({ maxItems: 5_000 })
  @Field(() => [ID], { nullable: true, description: 'For jobs over products.' })
  productIds?: string[] | null;

  @Limited({ maxItems: 20 })
  @Field(() => [ID], { nullable: true, description: 'For imports, which are charged by page.' })
  uploadedFileIds?: string[] | null;

  @Limited({ min: 0, max: 2_000 })
  @Field(() => Int, { defaultValue: 0, description: 'Number of rows, for jobs over brands or categories.' })
  rows!: number;

  @Field(() => Boolean, { defaultValue: false, description: 'For product enrichment with `pro-v1` that reads the sources twice.' })
  agreement!: boolean;
}

@ObjectType({ description: 'The maximum cost of a job. Failed items are refunded.' })
export class JobEstimate {
  @Field(() => Int, { description: 'Number of items that the job would have.' })
  items!: number;

  @Field(() => Float, { description: 'Credits if every item completes.' })
  credits!: number;

  @Field(() => Float, { description: 'Current balance of the organization.' })
  balance!: number;

  @Field(() => Boolean, { description: 'Whether the balance covers the cost.' })
  isCovered!: boolean;
}
