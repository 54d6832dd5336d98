import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { type AttributeValues, AttributeValuesScalar } from '../attributes/attribute-content.ts';
import { attributeFaults } from '../attributes/value-faults.ts';
import { ValueFault } from '../attributes/value-limits.ts';
import { ProductChange, ProductTexts } from './types.ts';

@InputType({ description: 'Texts of a product as the caller read them. Null and an empty text are equal.' })
export class ExpectedFields extends ProductTexts {
  @Field(() => String, { nullable: true })
  uom?: string | null;

  @Field(() => String, { nullable: true })
  externalId?: string | null;
}

@InputType({
  description: 'A product to create or to change. Omitted fields stay unchanged; null clears a field. Values are merged by slug.',
})
export class ProductUpsert extends ProductChange {
  @Field(() => ID, {
    nullable: true,
    description: 'The id of an existing product, by which it is found instead. Either all products of a request have one, or none.',
  })
  id?: string | null;

  @Limited({ maxLength: 128 })
  @Field(() => String, { nullable: true, description: 'Unit of measure.' })
  uom?: string | null;

  @Limited({ minLength: 1, maxLength: 256 })
  @Field(() => String, {
    nullable: true,
    description:
      'The SKU or external id of the parent, by `matchBy`. It replaces `parentId`, and can be a product of the same request.',
  })
  parentKey?: string | null;

  @Limited({ faults: attributeFaults })
  @Field(() => AttributeValuesScalar, { nullable: true })
  attributes?: AttributeValues | null;

  @Limited({ faults: attributeFaults })
  @Field(() => AttributeValuesScalar, {
    nullable: true,
    description:
      'Values that the product still has, as the caller read them. If somebody changed one of them, nothing of the product changes. Only `value` counts; null also means no value.',
  })
  expectedAttributes?: AttributeValues | null;

  @Field(() => ExpectedFields, {
    nullable: true,
    description: 'Fields that the product still has. If somebody changed one of them, nothing of the product changes.',
  })
  expectedFields?: ExpectedFields | null;
}

@ArgsType()
export class UpsertArguments {
  @Field(() => enumTypes.ImportMatch, { description: 'The key by which products are found.' })
  matchBy!: EnumValue<'ImportMatch'>;

  @Limited({ minItems: 1, maxItems: 1_000 })
  @Field(() => [ProductUpsert])
  products!: ProductUpsert[];

  @Field(() => Boolean, { defaultValue: false, description: 'Whether values that break a limit of their attribute are refused.' })
  checksLimits!: boolean;
}

@ObjectType({ description: 'The result for one product of an upsert.' })
export class UpsertedProduct {
  @Field(() => Int, { description: 'Position of the product in the request.' })
  index!: number;

  @Field(() => String, { description: 'The SKU, external id or id by which the product was looked for.' })
  key!: string;

  @Field(() => ID, { nullable: true, description: 'Null for a refused product.' })
  id!: string | null;

  /** Also that of a refused product. */
  productId!: string | null;

  @Field(() => enumTypes.UpsertOutcome)
  outcome!: EnumValue<'UpsertOutcome'>;

  @Field(() => String, { nullable: true, description: 'Why the product was refused.' })
  message!: string | null;

  @ListSize(2)
  @Field(() => [ValueFault], { description: 'The values for which the product was refused, or which somebody changed meanwhile.' })
  faults!: ValueFault[];

  @ListSize(2)
  @Field(() => [String], { description: 'The fields that somebody changed meanwhile.' })
  changedFields!: string[];
}
