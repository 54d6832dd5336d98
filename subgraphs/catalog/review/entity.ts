import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { FieldProperty, Tenant } from '../../../platform/database/index.ts';
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

  @FieldProperty({ type: 'uuid' })
  productId!: string;

  @FieldProperty({ type: 'double', description: '0 to 100.' })
  confidence!: number;

  @FieldProperty(() => AttributeValueType, { type: 'json', description: 'The value that the job wrote.' })
  proposed!: AttributeValue;

  @FieldProperty(() => AttributeValueType, { type: 'json', nullable: true, description: 'The value there was before.' })
  base: AttributeValue | null = null;

  @Property({ type: 'json', nullable: true })
  baseProvenance: Provenance | null = null;

  @FieldProperty(() => enumTypes.ReviewVerdict, { type: 'text', nullable: true, description: 'Null until the value is reviewed.' })
  verdict: EnumValue<'ReviewVerdict'> | null = null;

  @Property({ type: 'uuid', nullable: true })
  reviewedById: string | null = null;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'Null until the value is reviewed.' })
  reviewedAt: Date | null = null;
}
