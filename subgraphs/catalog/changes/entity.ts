import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { FieldProperty, Tenant } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

/** The latest change of a record. Triggers write it; a reader of the feed numbers it. */
@ObjectType({ description: 'The latest change of a product, brand or category.' })
@Entity({ schema: 'catalog', tableName: 'changes' })
@Tenant()
export class CatalogChange {
  @Field(() => ID, { description: 'The id of the changed record.' })
  @PrimaryKey({ type: 'uuid' })
  recordId!: string;

  @Property({ type: 'uuid' })
  organizationId!: string;

  @FieldProperty(() => enumTypes.CatalogSubject, { type: 'text' })
  subject!: EnumValue<'CatalogSubject'>;

  /** Increases in the order of the commits of the organization. Null until a reader numbers the change. */
  @Property({ type: 'bigint', runtimeType: 'number', nullable: true })
  number!: number | null;

  @FieldProperty({ type: 'boolean', description: 'Whether the record was deleted. A deletion is listed for 90 days.' })
  deleted!: boolean;

  @FieldProperty({ type: 'text', nullable: true, description: 'The last SKU of a product, also after its deletion.' })
  sku!: string | null;

  @FieldProperty({ type: 'text', nullable: true, description: 'The last external id of a product, also after its deletion.' })
  externalId!: string | null;

  @FieldProperty({ type: 'datetime', description: 'When the transaction of the change began.' })
  at!: Date;
}

/** The state of the feed of an organization. */
@Entity({ schema: 'catalog', tableName: 'change_counters' })
@Tenant()
export class ChangeCounter {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @Property({ type: 'bigint', runtimeType: 'number' })
  last!: number;

  @Property({ type: 'bigint', runtimeType: 'number' })
  forgotten!: number;
}
