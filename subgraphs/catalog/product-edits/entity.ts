import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { FieldProperty, Tenant } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { AttributeValue, Provenance } from '../attributes/attribute-content.ts';

type FieldName = EnumValue<'ProductEditField'>;
export type FieldContent = string | boolean | null;

/** A value before and after an edit, with its origin before. */
export interface ValueChange {
  before: AttributeValue | null;
  origin: Provenance | null;
  after: AttributeValue | null;
}

/** What an edit changed of one product, from which it is undone. */
export interface EditChanges {
  fields: { [F in FieldName]?: { before: FieldContent; after: FieldContent } };
  values: Record<string, ValueChange>;
}

/** A product that a bulk edit changed, or left as it is for a reason. */
@ObjectType({ description: 'What a bulk edit did to one product. It is kept for 30 days.' })
@Entity({ schema: 'catalog', tableName: 'product_edits' })
@Tenant()
export class ProductEditResult {
  @PrimaryKey({ type: 'uuid' })
  jobId!: string;

  @Field(() => ID)
  @PrimaryKey({ type: 'uuid' })
  productId!: string;

  @Property({ type: 'uuid' })
  organizationId!: string;

  @FieldProperty({ type: 'string', description: 'The SKU of the product at that time.' })
  sku!: string;

  @FieldProperty(() => enumTypes.ProductEditOutcome, { type: 'string' })
  outcome!: EnumValue<'ProductEditOutcome'>;

  @FieldProperty({ type: 'text', nullable: true, description: 'What was left as it is, and why.' })
  message!: string | null;

  @Property({ type: 'json' })
  changes!: EditChanges;
}

/** The products of one item of a bulk edit, with its results. */
@Entity({ schema: 'catalog', tableName: 'product_edit_pages' })
@Tenant()
export class ProductEditPage {
  @PrimaryKey({ type: 'uuid' })
  itemId!: string;

  @Property({ type: 'uuid' })
  jobId!: string;

  @Property({ type: 'uuid' })
  organizationId!: string;

  @Property({ type: 'array', columnType: 'uuid[]' })
  productIds!: string[];

  @Property({ type: 'integer' })
  changed!: number;

  @Property({ type: 'integer' })
  unchanged!: number;

  @Property({ type: 'integer' })
  refused!: number;
}
