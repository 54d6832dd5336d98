import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { FieldProperty, Tenant } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import type { AttributeValue, Provenance } from '../attributes/attribute-content.ts';

type FieldName = EnumValue<'ProductEditField'>;
export type FieldContent = string | boolean | null;

/** A value before and after an edit, with its origins. */
export interface ValueChange {
  before: AttributeValue | null;
  origin: Provenance | null;
  after: AttributeValue | null;
  /** The origin that the edit wrote. An undo leaves a value that has another one by now. */
  afterOrigin: Provenance | null;
}

/** The changes that an edit made to one product, from which it is undone. */
export interface EditChanges {
  fields: { [F in FieldName]?: { before: FieldContent; after: FieldContent } };
  values: Record<string, ValueChange>;
}

/** A product that a bulk edit changed, or left as it is for a reason. */
@ObjectType({ description: 'The outcome of a bulk edit for one product. It is kept for 30 days.' })
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

  @FieldProperty({ type: 'text', nullable: true, description: 'The contents that were left as they are, and the reason.' })
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
  productCount!: number;

  @Property({ type: 'integer' })
  changed!: number;

  @Property({ type: 'integer' })
  unchanged!: number;

  @Property({ type: 'integer' })
  refused!: number;

  @Property({ type: 'integer' })
  deleted!: number;
}
