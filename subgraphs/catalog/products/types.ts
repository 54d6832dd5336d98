import { ID, InputType, Int, ObjectType } from 'type-graphql';
import { Deletion } from '../../../platform/database/index.ts';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { CursorPageOf, cursorArguments, pageArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ONE_LINE } from '../../../schema/text.ts';
import { type AttributeValues, AttributeValuesScalar } from '../attributes/attribute-content.ts';
import { attributeFaults, ValueFault } from '../attributes/value-faults.ts';
import { Product } from './entity.ts';
import { ProductFilter } from './filter.ts';
import { sourceFaults } from './job-items.ts';

export class ProductsArguments extends args(cursorArguments(10), {
  search: field(String, { maxLength: 256, defaultValue: '', description: 'Part of a name or SKU, ignoring case.' }),
  sortBy: field(enumTypes.ProductSort, { defaultValue: 'createdAt' }),
  sortOrder: field(enumTypes.SortOrder, { defaultValue: 'desc' }),
  orderBy: field(enumTypes.ProductOrder, {
    nullable: true,
    description: 'Replaces `sortBy`, which has only the fields of the REST API.',
  }),
  filter: field(ProductFilter, { nullable: true }),
  parentFilter: field(enumTypes.ParentFilter, { defaultValue: 'all' }),
  enrichedFilter: field(enumTypes.EnrichedFilter, { defaultValue: 'all' }),
}) {}

export class SearchArguments extends args({
  query: field(String, { maxLength: 256, description: 'Words in any order, ignoring case and endings. At most 16 count.' }),
  limit: field(Int, { min: 1, max: 50, defaultValue: 10, description: 'Maximum number of products to return.' }),
}) {}

export class SkusArguments extends args({
  skus: list(String, { minItems: 1, maxItems: 50, maxLength: 64 }),
}) {}

export class HistoryArguments extends args(pageArguments(10), {
  productId: field(ID),
}) {}

/** The texts of a product, with the limits that import items share. */
@InputType()
export abstract class ProductTexts extends input({
  sku: field(String, {
    minLength: 1,
    maxLength: 64,
    pattern: ONE_LINE,
    notNull: true,
    nullable: true,
    description: 'Unique within the organization.',
  }),
  name: field(String, { minLength: 1, maxLength: 256, pattern: ONE_LINE, notNull: true, nullable: true }),
  manufacturer: field(String, { maxLength: 256, nullable: true }),
  mpn: field(String, { maxLength: 128, nullable: true, description: 'Manufacturer part number.' }),
  brand: field(String, { maxLength: 128, nullable: true, description: 'Name of the brand, as free text.' }),
  category: field(String, { maxLength: 1024, nullable: true, description: 'Name of the category, as free text.' }),
}) {}

@InputType({ description: 'Changes to a product. Omitted fields stay unchanged; null clears a field.' })
export class ProductChange extends input(ProductTexts, {
  externalId: field(String, {
    minLength: 1,
    maxLength: 256,
    pattern: ONE_LINE,
    nullable: true,
    description: "The caller's own identifier. Unique within the organization.",
  }),
  parentId: field(ID, { nullable: true, description: 'The parent of a variant.' }),
  isParent: field(Boolean, { nullable: true, description: 'Whether the product groups variants. Default: false.' }),
  userProvidedRawDataSources: list(String, {
    maxItems: 100,
    faults: sourceFaults,
    nullable: true,
    description: 'URLs or texts that an enrichment reads: at most 1,000,000 bytes together.',
  }),
}) {}

@InputType({ description: 'A product to create. It cannot be both a parent and a variant.' })
export class NewProduct extends input(ProductChange, {
  sku: field(String, { minLength: 1, maxLength: 64, pattern: ONE_LINE, description: 'Unique within the organization.' }),
  name: field(String, { minLength: 1, maxLength: 256, pattern: ONE_LINE }),
  uom: field(String, { maxLength: 128, nullable: true, description: 'Unit of measure.' }),
  attributes: field(AttributeValuesScalar, { faults: attributeFaults, nullable: true }).as<AttributeValues>(),
}) {}

export class NewProducts extends args({
  products: list(NewProduct, { minItems: 1, maxItems: 1000 }),
}) {}

@ObjectType({ description: 'The result of a bulk create.' })
export class CreatedProducts extends output({
  created: field(Boolean, 'Always true: the request fails unless it creates all products.'),
  ids: list(ID, 'In the order of the request.'),
}) {}

@ObjectType({ description: 'Confirms that a product was deleted.' })
export class DeletedProduct extends Deletion {}

export class ArchiveArguments extends args({
  ids: list(ID, { minItems: 1, maxItems: 1_000 }),
}) {}

@ObjectType({ description: 'The result of archiving products or bringing them back.' })
export class ArchivedProducts extends output({
  changed: field(Int, 'Number of products that changed.'),
}) {}

@ObjectType({ description: 'One page of products.' })
export class ProductPage extends CursorPageOf(Product, 'ProductPage') {}

@InputType({ description: 'Texts of a product as the caller read them. Null and an empty text are equal.' })
class ExpectedFields extends input(ProductTexts, {
  uom: field(String, { nullable: true }),
  externalId: field(String, { nullable: true }),
}) {}

@InputType({
  description: 'A product to create or to change. Omitted fields stay unchanged; null clears a field. Values are merged by slug.',
})
export class ProductUpsert extends input(ProductChange, {
  id: field(ID, {
    nullable: true,
    description: 'The id of an existing product, by which it is found instead. Either all products of a request have one, or none.',
  }),
  uom: field(String, { maxLength: 128, nullable: true, description: 'Unit of measure.' }),
  parentKey: field(String, {
    minLength: 1,
    maxLength: 256,
    nullable: true,
    description:
      'The SKU or external id of the parent, by `matchBy`. It replaces `parentId`, and can be a product of the same request.',
  }),
  attributes: field(AttributeValuesScalar, { faults: attributeFaults, nullable: true }).as<AttributeValues>(),
  expectedAttributes: field(AttributeValuesScalar, {
    faults: attributeFaults,
    nullable: true,
    description:
      'Values that the product still has, as the caller read them. If somebody changed one of them, nothing of the product changes. Only `value` counts; null also means no value.',
  }).as<AttributeValues>(),
  expectedFields: field(ExpectedFields, {
    nullable: true,
    description: 'Fields that the product still has. If somebody changed one of them, nothing of the product changes.',
  }),
}) {}

export class UpsertArguments extends args({
  matchBy: field(enumTypes.ImportMatch, 'The key by which products are found.'),
  products: list(ProductUpsert, { minItems: 1, maxItems: 1_000 }),
  checksLimits: field(Boolean, {
    defaultValue: false,
    description: 'Whether values that break a limit of their attribute are refused.',
  }),
}) {}

@ObjectType({ description: 'The result for one product of an upsert.' })
export class UpsertedProduct extends output({
  index: field(Int, 'Position of the product in the request.'),
  key: field(String, 'The SKU, external id or id by which the product was looked for.'),
  id: field(ID, { nullable: true, description: 'Null for a refused product.' }),
  outcome: field(enumTypes.UpsertOutcome),
  message: field(String, { nullable: true, description: 'Why the product was refused.' }),
  faults: list(ValueFault, {
    assumedSize: 2,
    description: 'The values for which the product was refused, or which somebody changed meanwhile.',
  }),
  changedFields: list(String, { assumedSize: 2, description: 'The fields that somebody changed meanwhile.' }),
}) {
  /** Also that of a refused product. */
  productId!: string | null;
}
