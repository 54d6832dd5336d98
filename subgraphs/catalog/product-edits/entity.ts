import { ObjectType } from 'type-graphql';
import { column, columns, hidden, Table, Tenant } from '../../../platform/database/index.ts';
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
@Table('catalog.product_edits')
@Tenant()
export class ProductEditResult extends columns({
  jobId: hidden('uuid', { primary: true }),
  productId: column('uuid', { primary: true }),
  organizationId: hidden('uuid'),
  sku: column('string', 'The SKU of the product at that time.'),
  outcome: column(enumTypes.ProductEditOutcome),
  message: column('text', { nullable: true, description: 'The contents that were left as they are, and the reason.' }),
  changes: hidden('json').as<EditChanges>(),
}) {}

/** The products of one item of a bulk edit, with its results. */
@Table('catalog.product_edit_pages')
@Tenant()
export class ProductEditPage extends columns({
  itemId: hidden('uuid', { primary: true }),
  jobId: hidden('uuid'),
  organizationId: hidden('uuid'),
  productIds: hidden('uuids'),
  productCount: hidden('integer'),
  changed: hidden('integer'),
  unchanged: hidden('integer'),
  refused: hidden('integer'),
  deleted: hidden('integer'),
}) {}
