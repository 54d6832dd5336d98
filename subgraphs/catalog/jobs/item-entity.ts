import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Directive, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { type AttributeValues, AttributeValuesScalar, type Provenances } from '../attributes/values.ts';
import { type ReferenceData, ReferenceDataScalar } from './reference-data.ts';

@ObjectType({ description: 'One item of a job.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'catalog', tableName: 'job_items' })
export class JobItem extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  jobId!: string;

  @Field(() => Int, { description: 'Position in the request, starting at 0.' })
  @Property({ type: 'integer' })
  ordinal!: number;

  /** Position in processing order. */
  @Property({ type: 'integer' })
  turn!: number;

  /** A phase starts after the previous ones have ended, so that parents wait for their variants. */
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

  /** The kind of thing that `label` names. */
  @Property({ type: 'string', nullable: true })
  subject: 'brand' | 'category' | null = null;

  @Field(() => String, { nullable: true, description: 'Name of the brand or category.' })
  @Property({ type: 'text', nullable: true })
  label: string | null = null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'The submitted row.' })
  @Property({ type: 'json', columnType: 'json', nullable: true })
  inputData: Record<string, unknown> | null = null;

  @Field(() => ReferenceDataScalar, {
    nullable: true,
    description: 'The source of the values, for items of brands and categories.',
  })
  @Property({ type: 'json', nullable: true })
  referenceData: ReferenceData | null = null;

  @Field(() => wordTypes.JobItemStatus)
  @Property({ type: 'string' })
  status: Opt<Word<'JobItemStatus'>> = 'pending';

  @Field(() => Date, { nullable: true, description: 'Null until the item starts.' })
  @Property({ type: 'datetime', nullable: true })
  startedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'Null until the item ends.' })
  @Property({ type: 'datetime', nullable: true })
  completedAt: Date | null = null;

  @Field(() => String, { nullable: true, description: 'Null unless the item failed.' })
  @Property({ type: 'text', nullable: true })
  errorMessage: string | null = null;

  @Field(() => AttributeValuesScalar, {
    nullable: true,
    description: 'The values that the job filled in; null until the item completes.',
  })
  @Property({ type: 'json', nullable: true })
  enrichedData: AttributeValues | null = null;

  @Property({ type: 'json', nullable: true })
  provenance: Provenances | null = null;

  @Field(() => [ID], { nullable: true, description: 'Products whose accepted values the model received as examples.' })
  @Property({ type: 'array', columnType: 'uuid[]', nullable: true })
  exampleIds: string[] | null = null;

  /** By attribute slug. The validation defines its shape and its GraphQL field. */
  @Property({ type: 'json', nullable: true })
  validationResults: object | null = null;

  @Field(() => Float, { nullable: true, description: 'Score of a validation, 0 to 100 with two decimals.' })
  @Property({ type: 'decimal', precision: 5, scale: 2, runtimeType: 'number', nullable: true })
  overallScore: number | null = null;

  /** The market analysis defines their shape and their GraphQL field. */
  @Property({ type: 'json' })
  results: Opt<object[]> = [];

  /** Whether it was charged as a parent product, and is processed as one. Null until the item starts. */
  @Property({ type: 'boolean', nullable: true })
  asParent: boolean | null = null;

  @Field(() => Float, { description: 'Credits charged. A failed item costs nothing.' })
  @Property({ type: 'decimal', precision: 16, scale: 4, runtimeType: 'number' })
  cost: Opt<number> = 0;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
