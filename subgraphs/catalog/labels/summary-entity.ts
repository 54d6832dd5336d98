import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Tenant } from '../../../platform/database/index.ts';
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

  @Field(() => String, { description: 'As it was created, or else as the first product spells it.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => Int, { description: 'Number of products with this name.' })
  @Property({ type: 'bigint', runtimeType: 'number' })
  productCount!: number;

  @Field(() => Int, { description: 'Number of these products that a job has enriched.' })
  @Property({ type: 'bigint', runtimeType: 'number' })
  enrichedCount!: number;

  @Property({ type: 'uuid', nullable: true })
  recordId: string | null = null;
}
