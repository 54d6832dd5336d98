import { ID, InputType, Int, ObjectType } from 'type-graphql';
import { args, field, input, list, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { type AttributeValues, AttributeValuesScalar } from '../attributes/attribute-content.ts';
import { attributeFaults, ValueFault } from '../attributes/value-faults.ts';
import { ProductChange, ProductTexts } from './types.ts';

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
