import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ProductSelection } from '../product-edits/types.ts';

@ArgsType()
export class ExportArguments {
  @Field(() => ProductSelection)
  selection!: ProductSelection;

  @Field(() => enumTypes.ProductExportFormat, { defaultValue: 'csv' })
  format!: EnumValue<'ProductExportFormat'>;
}

@ObjectType({ description: 'The file of an export of products.' })
export class ProductExport {
  @Field(() => enumTypes.ProductExportFormat)
  format!: EnumValue<'ProductExportFormat'>;

  @Field(() => Int, { description: 'Number of selected products.' })
  products!: number;

  @Field(() => Int, {
    description: 'Number of products in the file so far. Those that were deleted since the start are not in it.',
  })
  exported!: number;

  @Field(() => Boolean, { description: 'Whether the file can be downloaded: the job has completed, at most 7 days ago.' })
  isAvailable!: boolean;

  @Field(() => Date, { nullable: true, description: 'When the file is deleted. Null until the job has completed.' })
  expiresAt!: Date | null;
}

@ObjectType({ description: 'A part of a file.' })
export class FilePart {
  @Field(() => String, { description: 'The name of the file.' })
  name!: string;

  @Field(() => String, { description: 'Media type.' })
  type!: string;

  @Field(() => String)
  text!: string;

  @Field(() => String, { nullable: true, description: 'Pass it as `after` for the next part. Null at the end.' })
  next!: string | null;
}
