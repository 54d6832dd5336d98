import { ID, InputType } from 'type-graphql';
import { field, input, list } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@InputType({ description: 'A job that compares attribute values of products with their current sources.' })
export class NewProductValidationJob extends input({
  productIds: list(ID, { minItems: 1, maxItems: 5_000, description: 'Products of the organization. Duplicates are ignored.' }),
  modelType: field(enumTypes.ModelType),
  extractImages: field(Boolean, {
    defaultValue: false,
    description: 'Collect product images from the pages that the job reads. Ignored for parents.',
  }),
  attributeSetId: field(ID, { nullable: true, description: 'Compare the attributes of this set. Default: all active attributes.' }),
  attributeIds: list(ID, {
    maxItems: 500,
    nullable: true,
    description: 'Compare only these attributes. Takes precedence over `attributeSetId`.',
  }),
}) {}
