import { Field, ID, InputType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';

@InputType({ description: 'A job that fills in attributes of products from their sources.' })
export class NewProductEnrichmentJob {
  @Limited({ minItems: 1, maxItems: 5_000 })
  @Field(() => [ID], { description: 'Products of the organization. Duplicates are ignored.' })
  productIds!: string[];

  @Field(() => wordTypes.ModelType)
  modelType!: Word<'ModelType'>;

  @Field(() => Boolean, { defaultValue: true, description: 'Also search the web. Ignored for parents.' })
  websearch!: boolean;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Collect product images from the pages that the job reads. Ignored for parents.',
  })
  extractImages!: boolean;

  @Field(() => Boolean, { defaultValue: true, description: 'Give the model the current values.' })
  includeExistingAttributes!: boolean;

  @Field(() => wordTypes.OverwriteMode, {
    defaultValue: 'all',
    description: 'The values that the job may replace. No mode lets a value without evidence replace one that a person wrote.',
  })
  overwrite!: Word<'OverwriteMode'>;

  @Field(() => Boolean, {
    defaultValue: true,
    description: 'Show the model similar products and known values of the organization that people accepted.',
  })
  useExamples!: boolean;

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Read the sources twice, in both orders. Values that differ get half the confidence and show the other value. ' +
      'Only with `pro-v1`, for 3 more credits per product. Ignored for parents.',
  })
  agreement!: boolean;

  @Field(() => ID, { nullable: true, description: 'Fill in the attributes of this set. Default: all active attributes.' })
  attributeSetId?: string | null;

  @Limited({ maxItems: 500 })
  @Field(() => [ID], { nullable: true, description: 'Fill in only these attributes. Takes precedence over `attributeSetId`.' })
  attributeIds?: string[] | null;

  @Limited({ maxItems: 20 })
  @Field(() => [ID], { nullable: true, description: 'Uploaded files that serve as additional sources.' })
  uploadedFileIds?: string[] | null;
}
