import { Field, ID, InputType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@InputType({ description: 'A job that compares attribute values of products with their current sources.' })
export class NewProductValidationJob {
  @Limited({ minItems: 1, maxItems: 5_000 })
  @Field(() => [ID], { description: 'Products of the organization. Duplicates are ignored.' })
  productIds!: string[];

  @Field(() => enumTypes.ModelType)
  modelType!: EnumValue<'ModelType'>;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Collect product images from the pages that the job reads. Ignored for parents.',
  })
  extractImages!: boolean;

  @Field(() => ID, { nullable: true, description: 'Compare the attributes of this set. Default: all active attributes.' })
  attributeSetId?: string | null;

  @Limited({ maxItems: 500 })
  @Field(() => [ID], { nullable: true, description: 'Compare only these attributes. Takes precedence over `attributeSetId`.' })
  attributeIds?: string[] | null;
}
