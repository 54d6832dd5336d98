import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';

const VariantOptionsScalar = new GraphQLScalarType({
  ...GraphQLJSONObject.toConfig(),
  name: 'VariantOptions',
  description: 'A map of option name to the value of a variant, for example `{ "Size": "M" }`.',
});

@ObjectType({ description: 'The fields of a family, variant or standalone product as the files state them.' })
export class ImportData {
  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'Empty if the files state no SKU.' })
  sku!: string;

  @Field(() => String, { nullable: true })
  brand!: string | null;

  @Field(() => String, { nullable: true })
  category!: string | null;

  @Field(() => String, { nullable: true })
  manufacturer!: string | null;

  @Field(() => String, { nullable: true, description: 'Manufacturer part number.' })
  mpn!: string | null;

  @Field(() => VariantOptionsScalar, { description: 'Empty for families.' })
  variantOptions!: Record<string, string>;
}
