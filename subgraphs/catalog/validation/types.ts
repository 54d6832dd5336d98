import { Field, ID, InputType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';

@InputType({ description: 'A validation of products: compare their attributes with their sources as they are now.' })
export class NewProductValidationJob {
  @Limited({ minItems: 1, maxItems: 5_000 })
  @Field(() => [ID], { description: 'Products of the organization; one named twice counts once.' })
  productIds!: string[];

  @Field(() => wordTypes.ModelType)
  modelType!: Word<'ModelType'>;

  @Field(() => Boolean, { defaultValue: false, description: 'Collect product images from the pages read; ignored for parents.' })
  extractImages!: boolean;

  @Field(() => ID, { nullable: true, description: 'Compare the attributes of this set; all active attributes when absent.' })
  attributeSetId?: string | null;

  @Limited({ maxItems: 500 })
  @Field(() => [ID], { nullable: true, description: 'Compare just these attributes.' })
  attributeIds?: string[] | null;
}
