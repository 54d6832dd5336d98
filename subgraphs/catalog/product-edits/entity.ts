import { Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { column, columns, hidden, Table, Tenant } from '../../../platform/database/index.ts';
import { args, field, input, list, output, shared } from '../../../platform/fields/index.ts';
import { CursorPageOf, cursorArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import {
  type AttributeContent,
  AttributeContentScalar,
  type AttributeValue,
  type Provenance,
} from '../attributes/attribute-content.ts';
import { ProductFilter } from '../products/filter.ts';

type FieldName = EnumValue<'ProductEditField'>;
export type FieldContent = string | boolean | null;

/** A value before and after an edit, with its origins. */
interface ValueChange {
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

@InputType({ description: 'The products of a bulk edit: either `ids`, or all that meet the other conditions.' })
export class ProductSelection extends input({
  ids: list(ID, {
    minItems: 1,
    maxItems: 5_000,
    nullable: true,
    description: 'Archived products are edited too if they are named here.',
  }),
  search: field(String, { maxLength: 256, nullable: true, description: 'Part of a name or SKU, ignoring case.' }),
  filter: field(ProductFilter, { nullable: true }),
  parentFilter: field(enumTypes.ParentFilter, { nullable: true }),
  enrichedFilter: field(enumTypes.EnrichedFilter, { nullable: true }),
}) {}

@ObjectType('ProductEdit', { description: 'One change that a bulk edit makes to each product.' })
@InputType('ProductEditInput', { description: 'One change of a field or of the value of an attribute.' })
export class ProductEdit extends shared({
  field: field(enumTypes.ProductEditField, { optional: true, description: 'The field. Null for the value of an attribute.' }),
  attribute: field(String, {
    minLength: 1,
    maxLength: 128,
    optional: true,
    description: 'The slug of the product attribute. Null for a field.',
  }),
  action: field(enumTypes.ProductEditAction),
  value: field(AttributeContentScalar, {
    nullable: true,
    description:
      'The content that `set` writes: for `parentId` an id, for `archived` true or false. The text that `prefix` or `suffix` adds.',
  }).as<AttributeContent | undefined>(),
  find: field(String, { minLength: 1, maxLength: 1_024, optional: true, description: 'The text that `replace` finds.' }),
  replacement: field(String, {
    maxLength: 1_024,
    optional: true,
    description: 'The text that `replace` writes instead. Default: nothing.',
  }),
  ignoreCase: field(Boolean, { optional: true, description: 'Whether `replace` ignores case. Default: false.' }),
  factor: field(Float, { optional: true, description: 'By which `multiply` multiplies. Not zero.' }),
  decimals: field(Int, { min: 0, max: 10, optional: true, description: 'Decimals to which `multiply` rounds. Default: 6.' }),
}) {}

export class EditArguments extends args({
  selection: field(ProductSelection),
  edits: list(ProductEdit, {
    minItems: 1,
    maxItems: 20,
    description: 'Applied one after the other. A product that one of them would make invalid stays as it is.',
  }),
}) {}

@ObjectType({ description: 'A field or value before and after a bulk edit.' })
export class EditedContent extends output({
  field: field(enumTypes.ProductEditField, { nullable: true, description: 'Null for the value of an attribute.' }),
  attribute: field(String, { nullable: true, description: 'The slug of the attribute. Null for a field.' }),
  label: field(String, 'The name of the field or attribute.'),
  before: field(AttributeContentScalar, { nullable: true }).as<AttributeContent>(),
  after: field(AttributeContentScalar, { nullable: true }).as<AttributeContent>(),
}) {}

@ObjectType({ description: 'A product that a bulk edit would change or refuse.' })
export class ProductEditPreviewRow extends output({
  productId: field(ID),
  sku: field(String),
  name: field(String),
  changes: list(EditedContent, { assumedSize: 20, description: 'Empty if the product is refused.' }),
  refusal: field(String, { nullable: true, description: 'Why the product would stay as it is. Null if it changes.' }),
}) {}

@ObjectType({ description: 'The preview of a bulk edit.' })
export class ProductEditPreview extends output({
  products: field(Int, 'Number of selected products.'),
  checked: field(Int, 'Number of products that were read for the preview: at most 500, fewer if their values are large.'),
  changed: field(Int, 'How many of these change.'),
  unchanged: field(Int, 'How many of these have the new content already, or none to edit.'),
  refused: field(Int, 'How many of these are refused.'),
  changes: list(ProductEditPreviewRow, { assumedSize: 20, description: 'Up to 20 products that change.' }),
  refusals: list(ProductEditPreviewRow, { assumedSize: 20, description: 'Up to 20 products that are refused.' }),
}) {}

@ObjectType({ description: 'The edits of a job and its results so far.' })
export class ProductEditState extends output({
  edits: list(ProductEdit, { assumedSize: 20, description: 'Empty for a job that undoes another one.' }),
  products: field(Int, 'Number of selected products.'),
  changed: field(Int),
  unchanged: field(Int, 'Products that had the new content already, or none to edit.'),
  refused: field(Int, 'Products that were left as they are, with a reason.'),
  deleted: field(Int, 'Products that were deleted before their turn.'),
  undoOfId: field(ID, { nullable: true, description: 'The job that this one undoes.' }),
  undoneById: field(ID, { nullable: true, description: 'The newest job that undoes this one.' }),
}) {}

export class EditResultsArguments extends args(cursorArguments(50), {
  jobId: field(ID),
  outcome: field(enumTypes.ProductEditOutcome, 'Only products with this outcome.'),
}) {}

@ObjectType({ description: 'One page of the results of a bulk edit.' })
export class ProductEditResultPage extends CursorPageOf(ProductEditResult, 'ProductEditResultPage') {}
