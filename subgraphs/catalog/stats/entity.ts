import { Float, ID, Int, ObjectType } from 'type-graphql';
import { columns, hidden, Table, Tenant } from '../../../platform/database/index.ts';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Attribute } from '../attributes/entity.ts';
import { Job } from '../jobs/entity.ts';

export type CounterKind = 'value' | 'confidence' | 'job' | 'review' | 'open' | 'written' | 'accepted';

/** One part of a count that triggers maintain. The count is the sum of its slots, which avoids contention between transactions. */
@Table('catalog.counters')
@Tenant()
export class Counter extends columns({
  organizationId: hidden('uuid', { primary: true }),
  kind: hidden('text', { primary: true }).as<CounterKind>(),
  key: hidden('text', { primary: true }),
  slot: hidden('smallint', { primary: true }),
  count: hidden('count'),
  sum: hidden('decimal', { columnType: 'numeric' }),
}) {}

@ObjectType({ description: 'How completely the products of the organization have one attribute.' })
export class AttributeStats extends output({
  attribute: field(Attribute),
  filled: field(Int, 'Number of products with a value.'),
  fillRate: field(Float, 'Share of all products that have a value, 0 to 1.'),
  meanConfidence: field(Float, {
    nullable: true,
    description: 'Mean confidence of the values that jobs wrote, 0 to 100. Null if jobs wrote none.',
  }),
  unreviewed: field(Int, 'Number of values that nobody has reviewed yet.'),
}) {}

@ObjectType({
  description: 'Counts of the products that are not archived. They are updated as products change, so reading them is cheap.',
})
export class CatalogStats extends output({
  products: field(Int, 'Number of products, including parents and variants.'),
  enriched: field(Int, 'Number of products that a job has enriched.'),
  parents: field(Int, 'Number of products that group variants.'),
}) {}

@ObjectType({ description: 'The number of jobs of one kind and status.' })
export class JobStats extends output({
  kind: field(enumTypes.JobKind),
  status: field(enumTypes.JobStatus),
  count: field(Int),
}) {}

@ObjectType({ description: 'The credits used on one day, for one kind of work, or by one job.' })
export class CreditUsageRow extends output({
  day: field(String, { optional: true, description: 'UTC day as `YYYY-MM-DD`, if grouped by day.' }),
  kind: field(String, {
    optional: true,
    description: 'A kind of job, `chat`, `indexing` or `retrieval-test`, if grouped by kind.',
  }),
  job: field(Job, { optional: true, description: 'If grouped by job.' }),
  credits: field(Float, 'Credits charged, minus refunds.'),
}) {}

@ObjectType({ description: 'The credits that jobs, chats and knowledge sources used in a period.' })
export class CreditUsage extends output({
  total: field(Float, 'Credits charged in the period, minus refunds.'),
}) {
  rows!: CreditUsageRow[];
}

export class CreditUsageArguments extends args({
  by: field(enumTypes.CreditUsageGroup),
  since: field(Date, { nullable: true, description: 'Start of the period, a UTC day. Default: 30 days before its end.' }),
  until: field(Date, {
    nullable: true,
    description: 'End of the period, a UTC day that it includes. Default: today. At most 366 days.',
  }),
}) {}

export class JobEstimateArguments extends args({
  kind: field(enumTypes.JobKind),
  modelType: field(enumTypes.ModelType, { defaultValue: 'budget-v1' }),
  productIds: list(ID, { maxItems: 5_000, nullable: true, description: 'For jobs over products.' }),
  uploadedFileIds: list(ID, { maxItems: 20, nullable: true, description: 'For imports, which are charged by page.' }),
  rows: field(Int, { min: 0, max: 2_000, defaultValue: 0, description: 'Number of rows, for jobs over brands or categories.' }),
  agreement: field(Boolean, {
    defaultValue: false,
    description: 'For product enrichment with `pro-v1` that reads the sources twice.',
  }),
}) {}

@ObjectType({ description: 'The maximum cost of a job. Failed items are refunded.' })
export class JobEstimate extends output({
  items: field(Int, 'Number of items that the job would have.'),
  credits: field(Float, 'Credits if every item completes.'),
  balance: field(Float, 'Current balance of the organization.'),
  isCovered: field(Boolean, 'Whether the balance covers the cost.'),
}) {}
