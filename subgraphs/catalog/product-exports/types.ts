import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ProductSelection } from '../product-edits/types.ts';

@ArgsType()
export class ExportArguments {
  @Field(() => ProductSelection)
  selection!: ProductSelection;

  @Field(() => enumTypes.ProductExportFormat, { defaultValue: 'csv' })
  format!: EnumValue<'ProductExportFormat'>;

  @Limited({ maxItems: 20 })
  @Field(() => [enumTypes.ProductExportField], {
    nullable: true,
    description: 'The fields in the file, which always has the SKU. Default: all that an import reads, and in `jsonl` all others.',
  })
  fields?: EnumValue<'ProductExportField'>[] | null;

  @Limited({ maxItems: 1_000, maxLength: 128 })
  @Field(() => [String], {
    nullable: true,
    description: 'The slugs of the attributes in the file, in the order of the columns. Default: all that one of the products has.',
  })
  attributes?: string[] | null;
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
