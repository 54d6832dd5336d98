import { ArgsType, Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { CursorPageOf, cursorArguments, ListSize } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { type AttributeContent, AttributeContentScalar } from '../attributes/attribute-content.ts';
import { ProductFilter } from '../products/filter.ts';
import { ProductEditResult } from './entity.ts';

@InputType({ description: 'The products of a bulk edit: either `ids`, or all that meet the other conditions.' })
export class ProductSelection {
  @Limited({ minItems: 1, maxItems: 5_000 })
  @Field(() => [ID], { nullable: true, description: 'Archived products are edited too if they are named here.' })
  ids?: string[] | null;

  @Limited({ maxLength: 256 })
  @Field(() => String, { nullable: true, description: 'Part of a name or SKU, ignoring case.' })
  search?: string | null;

  @Field(() => ProductFilter, { nullable: true })
  filter?: ProductFilter | null;

  @Field(() => enumTypes.ParentFilter, { nullable: true })
  parentFilter?: EnumValue<'ParentFilter'> | null;

  @Field(() => enumTypes.EnrichedFilter, { nullable: true })
  enrichedFilter?: EnumValue<'EnrichedFilter'> | null;
}

@ObjectType('ProductEdit', { description: 'One change that a bulk edit makes to each product.' })
@InputType('ProductEditInput', { description: 'One change of a field or of the value of an attribute.' })
export class ProductEdit {
  @Field(() => enumTypes.ProductEditField, { nullable: true, description: 'The field. Null for the value of an attribute.' })
  field?: EnumValue<'ProductEditField'> | null;

  @Limited({ minLength: 1, maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'The slug of the product attribute. Null for a field.' })
  attribute?: string | null;

  @Field(() => enumTypes.ProductEditAction)
  action!: EnumValue<'ProductEditAction'>;

  @Field(() => AttributeContentScalar, {
    nullable: true,
    description:
      'The content that `set` writes: for `parentId` an id, for `archived` true or false. The text that `prefix` or `suffix` adds.',
  })
  value?: AttributeContent;

  @Limited({ minLength: 1, maxLength: 1_024 })
  @Field(() => String, { nullable: true, description: 'The text that `replace` finds.' })
  find?: string | null;

  @Limited({ maxLength: 1_024 })
  @Field(() => String, { nullable: true, description: 'The text that `replace` writes instead. Default: nothing.' })
  replacement?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether `replace` ignores case. Default: false.' })
  ignoreCase?: boolean | null;

  @Field(() => Float, { nullable: true, description: 'By which `multiply` multiplies. Not zero.' })
  factor?: number | null;

  @Limited({ min: 0, max: 10 })
  @Field(() => Int, { nullable: true, description: 'Decimals to which `multiply` rounds. Default: 6.' })
  decimals?: number | null;
}

@ArgsType()
export class EditArguments {
  @Field(() => ProductSelection)
  selection!: ProductSelection;

  @Limited({ minItems: 1, maxItems: 20 })
  @Field(() => [ProductEdit], {
    description: 'Applied one after the other. A product that one of them would make invalid stays as it is.',
  })
  edits!: ProductEdit[];
}

@ObjectType({ description: 'A field or value before and after a bulk edit.' })
export class EditedContent {
  @Field(() => enumTypes.ProductEditField, { nullable: true, description: 'Null for the value of an attribute.' })
  field!: EnumValue<'ProductEditField'> | null;

  @Field(() => String, { nullable: true, description: 'The slug of the attribute. Null for a field.' })
  attribute!: string | null;

  @Field(() => String, { description: 'The name of the field or attribute.' })
  label!: string;

  @Field(() => AttributeContentScalar, { nullable: true })
  before!: AttributeContent;

  @Field(() => AttributeContentScalar, { nullable: true })
  after!: AttributeContent;
}

@ObjectType({ description: 'A product that a bulk edit would change or refuse.' })
export class ProductEditPreviewRow {
  @Field(() => ID)
  productId!: string;

  @Field(() => String)
  sku!: string;

  @Field(() => String)
  name!: string;

  @ListSize(20)
  @Field(() => [EditedContent], { description: 'Empty if the product is refused.' })
  changes!: EditedContent[];

  @Field(() => String, { nullable: true, description: 'Why the product would stay as it is. Null if it changes.' })
  refusal!: string | null;
}

@ObjectType({ description: 'The preview of a bulk edit.' })
export class ProductEditPreview {
  @Field(() => Int, { description: 'Number of selected products.' })
  products!: number;

  @Field(() => Int, {
    description: 'Number of products that were read for the preview: at most 500, fewer if their values are large.',
  })
  checked!: number;

  @Field(() => Int, { description: 'How many of these change.' })
  changed!: number;

  @Field(() => Int, { description: 'How many of these have the new content already, or none to edit.' })
  unchanged!: number;

  @Field(() => Int, { description: 'How many of these are refused.' })
  refused!: number;

  @ListSize(20)
  @Field(() => [ProductEditPreviewRow], { description: 'Up to 20 products that change.' })
  changes!: ProductEditPreviewRow[];

  @ListSize(20)
  @Field(() => [ProductEditPreviewRow], { description: 'Up to 20 products that are refused.' })
  refusals!: ProductEditPreviewRow[];
}

@ObjectType({ description: 'The edits of a job and its results so far.' })
export class ProductEditState {
  @ListSize(20)
  @Field(() => [ProductEdit], { description: 'Empty for a job that undoes another one.' })
  edits!: ProductEdit[];

  @Field(() => Int, { description: 'Number of selected products.' })
  products!: number;

  @Field(() => Int)
  changed!: number;

  @Field(() => Int, { description: 'Products that had the new content already, or none to edit.' })
  unchanged!: number;

  @Field(() => Int, { description: 'Products that were left as they are, with a reason.' })
  refused!: number;

  @Field(() => Int, { description: 'Products that were deleted before their turn.' })
  deleted!: number;

  @Field(() => ID, { nullable: true, description: 'The job that this one undoes.' })
  undoOfId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The newest job that undoes this one.' })
  undoneById!: string | null;
}

@ArgsType()
export class EditResultsArguments extends cursorArguments(50) {
  @Field(() => ID)
  jobId!: string;

  @Field(() => enumTypes.ProductEditOutcome, { description: 'Only products with this outcome.' })
  outcome!: EnumValue<'ProductEditOutcome'>;
}

@ObjectType({ description: 'One page of the results of a bulk edit.' })
export class ProductEditResultPage extends CursorPageOf(ProductEditResult, 'ProductEditResultPage') {}
