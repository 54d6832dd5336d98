import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Float, ID, ObjectType } from 'type-graphql';
import { Tenant } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { AttributeValue, Provenance } from '../attributes/attribute-content.ts';
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

  @Field(() => ID)
  @Property({ type: 'uuid' })
  productId!: string;

  @Field(() => Float, { description: '0 to 100.' })
  @Property({ type: 'double' })
  confidence!: number;

  @Field(() => AttributeValueType, { description: 'The value that the job wrote.' })
  @Property({ type: 'json' })
  proposed!: AttributeValue;

  @Field(() => AttributeValueType, { nullable: true, description: 'The value there was before.' })
  @Property({ type: 'json', nullable: true })
  base: AttributeValue | null = null;

  @Property({ type: 'json', nullable: true })
  baseProvenance: Provenance | null = null;

  @Field(() => enumTypes.ReviewVerdict, { nullable: true, description: 'Null until the value is reviewed.' })
  @Property({ type: 'text', nullable: true })
  verdict: EnumValue<'ReviewVerdict'> | null = null;

  @Property({ type: 'uuid', nullable: true })
  reviewedById: string | null = null;

  @Field(() => Date, { nullable: true, description: 'Null until the value is reviewed.' })
  @Property({ type: 'datetime', nullable: true })
  reviewedAt: Date | null = null;
}
