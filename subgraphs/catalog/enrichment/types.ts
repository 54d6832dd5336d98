import { Field, ID, InputType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';

@InputType({ description: 'An enrichment of products: fill in their attributes from their sources.' })
export class NewProductEnrichmentJob {
  @Limited({ minItems: 1, maxItems: 5_000 })
  @Field(() => [ID], { description: 'Products of the organization; one named twice counts once.' })
  productIds!: string[];

  @Field(() => wordTypes.ModelType)
  modelType!: Word<'ModelType'>;

  @Field(() => Boolean, { defaultValue: true, description: 'Search the web as well; ignored for parents.' })
  websearch!: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'Collect product images from the pages read; ignored for parents.' })
  extractImages!: boolean;

  @Field(() => Boolean, { defaultValue: true, description: 'Give the model the values that are there.' })
  includeExistingAttributes!: boolean;

  @Field(() => ID, { nullable: true, description: 'Fill in the attributes of this set; all active attributes when absent.' })
  attributeSetId?: string | null;

  @Limited({ maxItems: 500 })
  @Field(() => [ID], { nullable: true, description: 'Fill in just these attributes.' })
  attributeIds?: string[] | null;

  @Limited({ maxItems: 20 })
  @Field(() => [ID], { nullable: true, description: 'Uploaded files to read the values from as well.' })
  uploadedFileIds?: string[] | null;
}
