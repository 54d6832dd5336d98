import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Directive, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Owned } from '../../common/tenant.ts';
import { type AttributeValues, AttributeValuesScalar, type Provenances } from '../attributes/values.ts';
import { type ReferenceData, ReferenceDataScalar } from './reference-data.ts';

@ObjectType({ description: 'One item of a job.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'catalog', tableName: 'job_items' })
export class JobItem extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  jobId!: string;

  @Field(() => Int, { description: 'The place in the request, from 0.' })
  @Property({ type: 'integer' })
  ordinal!: number;

  /** The place in the order of work. */
  @Property({ type: 'integer' })
  turn!: number;

  /** Items of a later phase wait for those of the earlier ones: parents for their variants. */
  @Property({ type: 'smallint' })
  phase: Opt<number> = 0;

  @Field(() => ID, { nullable: true })
  @Property({ type: 'uuid', nullable: true })
  productId: string | null = null;

  /** The page of a file that an import reads. */
  @Property({ type: 'uuid', nullable: true })
  fileId: string | null = null;

  @Property({ type: 'integer', nullable: true })
  filePage: number | null = null;

  /** What the label names. */
  @Property({ type: 'string', nullable: true })
  subject: 'brand' | 'category' | null = null;

  @Field(() => String, { nullable: true, description: 'The name of the brand or category that is enriched.' })
  @Property({ type: 'text', nullable: true })
  label: string | null = null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'The row as it was submitted.' })
  @Property({ type: 'json', columnType: 'json', nullable: true })
  inputData: Record<string, unknown> | null = null;

  @Field(() => ReferenceDataScalar, { nullable: true, description: 'What the values were read from.' })
  @Property({ type: 'json', nullable: true })
  referenceData: ReferenceData | null = null;

  @Field(() => wordTypes.JobItemStatus)
  @Property({ type: 'string' })
  status: Opt<Word<'JobItemStatus'>> = 'pending';

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', nullable: true })
  startedAt: Date | null = null;

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', nullable: true })
  completedAt: Date | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  errorMessage: string | null = null;

  @Field(() => AttributeValuesScalar, { nullable: true, description: 'On completed items: what was filled in.' })
  @Property({ type: 'json', nullable: true })
  enrichedData: AttributeValues | null = null;

  @Property({ type: 'json', nullable: true })
  provenance: Provenances | null = null;

  /** By attribute slug. The validation defines its shape and its GraphQL field. */
  @Property({ type: 'json', nullable: true })
  validationResults: object | null = null;

  @Field(() => Float, { nullable: true, description: 'Of a validation: 0 to 100, two decimals.' })
  @Property({ type: 'decimal', precision: 5, scale: 2, runtimeType: 'number', nullable: true })
  overallScore: number | null = null;

  /** The market analysis defines their shape and their GraphQL field. */
  @Property({ type: 'json' })
  results: Opt<object[]> = [];

  @Field(() => Float, { description: 'Credits used.' })
  @Property({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number' })
  cost: Opt<number> = 0;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = new Date();
}
