import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Deletion } from '../../../platform/database/index.ts';
import { Limited } from '../../../platform/input/index.ts';
import { CursorPageOf, cursorArguments, pageArguments } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ONE_LINE } from '../../../schema/text.ts';
import { type AttributeValues, AttributeValuesScalar } from '../attributes/attribute-content.ts';
import { attributeFaults } from '../attributes/value-faults.ts';
import { Product } from './entity.ts';
import { ProductFilter } from './filter.ts';
import { sourceFaults } from './source-limits.ts';

@ArgsType()
export class ProductsArguments extends cursorArguments(10) {
  @Limited({ maxLength: 256 })
  @Field(() => String, { defaultValue: '', description: 'Part of a name or SKU, ignoring case.' })
  search!: string;

  @Field(() => enumTypes.ProductSort, { defaultValue: 'createdAt' })
  sortBy!: EnumValue<'ProductSort'>;

  @Field(() => enumTypes.SortOrder, { defaultValue: 'desc' })
  sortOrder!: EnumValue<'SortOrder'>;

  @Field(() => enumTypes.ProductOrder, {
    nullable: true,
    description: 'Replaces `sortBy`, which has only the fields of the REST API.',
  })
  orderBy?: EnumValue<'ProductOrder'> | null;

  @Field(() => ProductFilter, { nullable: true })
  filter?: ProductFilter | null;

  @Field(() => enumTypes.ParentFilter, { defaultValue: 'all' })
  parentFilter!: EnumValue<'ParentFilter'>;

  @Field(() => enumTypes.EnrichedFilter, { defaultValue: 'all' })
  enrichedFilter!: EnumValue<'EnrichedFilter'>;
}

@ArgsType()
export class SearchArguments {
  @Limited({ maxLength: 256 })
  @Field(() => String, { description: 'Words in any order, ignoring case and endings. At most 16 count.' })
  query!: string;

  @Limited({ min: 1, max: 50 })
  @Field(() => Int, { defaultValue: 10, description: 'Maximum number of products to return.' })
  limit!: number;
}

@ArgsType()
export class SkusArguments {
  @Limited({ minItems: 1, maxItems: 50, maxLength: 64 })
  @Field(() => [String])
  skus!: string[];
}

@ArgsType()
export class HistoryArguments extends pageArguments(10) {
  @Field(() => ID)
  productId!: string;
}

/** The texts of a product, with the limits that import items share. */
@InputType()
export abstract class ProductTexts {
  @Limited({ minLength: 1, maxLength: 64, pattern: ONE_LINE, notNull: true })
  @Field(() => String, { nullable: true, description: 'Unique within the organization.' })
  sku?: string | null;

  @Limited({ minLength: 1, maxLength: 256, pattern: ONE_LINE, notNull: true })
  @Field(() => String, { nullable: true })
  name?: string | null;

  @Limited({ maxLength: 256 })
  @Field(() => String, { nullable: true })
  manufacturer?: string | null;

  @Limited({ maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Manufacturer part number.' })
  mpn?: string | null;

  @Limited({ maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Name of the brand, as free text.' })
  brand?: string | null;

  @Limited({ maxLength: 1024 })
  @Field(() => String, { nullable: true, description: 'Name of the category, as free text.' })
  category?: string | null;
}

@InputType({ description: 'Changes to a product. Omitted fields stay unchanged; null clears a field.' })
export class ProductChange extends ProductTexts {
  @Limited({ minLength: 1, maxLength: 256, pattern: ONE_LINE })
  @Field(() => String, { nullable: true, description: "The caller's own identifier. Unique within the organization." })
  externalId?: string | null;

  @Field(() => ID, { nullable: true, description: 'The parent of a variant.' })
  parentId?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the product groups variants. Default: false.' })
  isParent?: boolean | null;

  @Limited({ maxItems: 100, faults: sourceFaults })
  @Field(() => [String], {
    nullable: true,
    description: 'URLs or texts that an enrichment reads: at most 1,000,000 bytes together.',
  })
  userProvidedRawDataSources?: string[] | null;
}

@InputType({ description: 'A product to create. It cannot be both a parent and a variant.' })
export class NewProduct extends ProductChange {
  @Limited({ minLength: 1, maxLength: 64, pattern: ONE_LINE })
  @Field(() => String, { description: 'Unique within the organization.' })
  declare sku: string;

  @Limited({ minLength: 1, maxLength: 256, pattern: ONE_LINE })
  @Field(() => String)
  declare name: string;

  @Limited({ maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Unit of measure.' })
  uom?: string | null;

  @Limited({ faults: attributeFaults })
  @Field(() => AttributeValuesScalar, { nullable: true })
  attributes?: AttributeValues | null;
}

@ArgsType()
export class NewProducts {
  @Limited({ minItems: 1, maxItems: 1000 })
  @Field(() => [NewProduct])
  products!: NewProduct[];
}

@ObjectType({ description: 'The result of a bulk create.' })
export class CreatedProducts {
  @Field(() => Boolean, { description: 'Always true: the request fails unless it creates all products.' })
  created!: boolean;

  @Field(() => [ID], { description: 'In the order of the request.' })
  ids!: string[];
}

@ObjectType({ description: 'Confirms that a product was deleted.' })
export class DeletedProduct extends Deletion {}

@ArgsType()
export class ArchiveArguments {
  @Limited({ minItems: 1, maxItems: 1_000 })
  @Field(() => [ID])
  ids!: string[];
}

@ObjectType({ description: 'The result of archiving products or bringing them back.' })
export class ArchivedProducts {
  @Field(() => Int, { description: 'Number of products that changed.' })
  changed!: number;
}

@ObjectType({ description: 'One page of products.' })
export class ProductPage extends CursorPageOf(Product, 'ProductPage') {}
