import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { FieldProperty, Tenant } from '../../../platform/database/index.ts';
import type { LabelSubject } from './subjects.ts';

/** A name that products carry or that was created as a brand or category. Triggers maintain the rows. */
@ObjectType()
@Entity({ schema: 'catalog', tableName: 'labels' })
@Tenant()
export class LabelSummary {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'text' })
  subject!: LabelSubject;

  @Field(() => ID, { name: 'id', description: 'Derived from the name. Not the id of the record.' })
  @PrimaryKey({ type: 'uuid' })
  key!: string;

  @FieldProperty({ type: 'text', description: 'As it was created, or else as the first product spells it.' })
  name!: string;

  @FieldProperty({ type: 'bigint', runtimeType: 'number', description: 'Number of products with this name.' })
  productCount!: number;

  @FieldProperty({ type: 'bigint', runtimeType: 'number', description: 'Number of these products that a job has enriched.' })
  enrichedCount!: number;

  @Property({ type: 'uuid', nullable: true })
  recordId: string | null = null;
}
