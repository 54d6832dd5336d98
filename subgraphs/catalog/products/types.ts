import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { PageOf, pageArguments } from '../../common/page.ts';
import { attributeFaults } from '../attributes/value-faults.ts';
import { type AttributeValues, AttributeValuesScalar } from '../attributes/values.ts';
import { Product } from './entity.ts';

@ArgsType()
export class ProductsArguments extends pageArguments(10) {
  @Limited({ maxLength: 256 })
  @Field(() => String, { defaultValue: '', description: 'Part of a name or SKU, in any case.' })
  search!: string;

  @Field(() => wordTypes.ProductSort, { defaultValue: 'createdAt' })
  sortBy!: Word<'ProductSort'>;

  @Field(() => wordTypes.SortOrder, { defaultValue: 'desc' })
  sortOrder!: Word<'SortOrder'>;

  @Field(() => wordTypes.ParentFilter, { defaultValue: 'all' })
  parentFilter!: Word<'ParentFilter'>;

  @Field(() => wordTypes.EnrichedFilter, { defaultValue: 'all' })
  enrichedFilter!: Word<'EnrichedFilter'>;
}

@ArgsType()
export class HistoryArguments extends pageArguments(10) {
  @Field(() => ID, { description: 'The id of the product.' })
  productId!: string;
}

@InputType({ description: 'What may change on a product. A field that is not sent stays as it is; null clears it.' })
export class ProductChange {
  @Limited({ minLength: 1, maxLength: 64, notNull: true })
  @Field(() => String, { nullable: true, description: 'Unique within the organization.' })
  sku?: string | null;

  @Limited({ minLength: 1, maxLength: 256, notNull: true })
  @Field(() => String, { nullable: true, description: 'What people call it.' })
  name?: string | null;

  @Limited({ maxLength: 256 })
  @Field(() => String, { nullable: true })
  manufacturer?: string | null;

  @Limited({ maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Manufacturer part number.' })
  mpn?: string | null;

  @Limited({ maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Brand name.' })
  brand?: string | null;

  @Limited({ maxLength: 1024 })
  @Field(() => String, { nullable: true, description: 'Category text.' })
  category?: string | null;

  @Limited({ minLength: 1, maxLength: 256 })
  @Field(() => String, { nullable: true, description: "The caller's own identifier." })
  externalId?: string | null;

  @Field(() => ID, { nullable: true, description: 'The parent product, for variants.' })
  parentId?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the product groups variants; false by default.' })
  isParent?: boolean | null;

  @Limited({ maxItems: 100 })
  @Field(() => [String], { nullable: true, description: 'URLs or texts that an enrichment reads.' })
  userProvidedRawDataSources?: string[] | null;
}

@InputType({ description: 'A product to create.' })
export class NewProduct extends ProductChange {
  @Limited({ minLength: 1, maxLength: 64 })
  @Field(() => String, { description: 'Unique within the organization.' })
  declare sku: string;

  @Limited({ minLength: 1, maxLength: 256 })
  @Field(() => String, { description: 'What people call it.' })
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
  @Field(() => [NewProduct], { description: 'All are created, or none.' })
  products!: NewProduct[];
}

@ObjectType({ description: 'What a bulk create did: all or nothing.' })
export class CreatedProducts {
  @Field(() => Boolean)
  created!: boolean;

  @Field(() => [ID], { description: 'In the order of the request.' })
  ids!: string[];
}

@ObjectType()
export class DeletedProduct {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean)
  deleted!: boolean;
}

@ObjectType()
export class ProductPage extends PageOf(Product, 'ProductPage') {}
