import { Int, ObjectType } from 'type-graphql';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ProductSelection } from '../product-edits/types.ts';

export class ExportArguments extends args({
  selection: field(ProductSelection),
  format: field(enumTypes.ProductExportFormat, { defaultValue: 'csv' }),
  fields: list(enumTypes.ProductExportField, {
    maxItems: 20,
    nullable: true,
    description: 'The fields in the file, which always has the SKU. Default: all that an import reads, and in `jsonl` all others.',
  }),
  attributes: list(String, {
    maxItems: 1_000,
    maxLength: 128,
    nullable: true,
    description:
      'The slugs of the attributes in the file, in the order of the columns. Default: those that one of the products has, and those of the attribute sets of their categories.',
  }),
}) {}

@ObjectType({ description: 'The file of an export of products.' })
export class ProductExport extends output({
  format: field(enumTypes.ProductExportFormat),
  products: field(Int, 'Number of selected products.'),
  exported: field(Int, 'Number of products in the file so far. Those that were deleted since the start are not in it.'),
  isAvailable: field(Boolean, 'Whether the file can be downloaded: the job has completed, at most 7 days ago.'),
  expiresAt: field(Date, { nullable: true, description: 'When the file is deleted. Null until the job has completed.' }),
}) {}

@ObjectType({ description: 'A part of a file.' })
export class FilePart extends output({
  name: field(String, 'The name of the file.'),
  type: field(String, 'Media type.'),
  text: field(String),
  next: field(String, { nullable: true, description: 'Pass it as `after` for the next part. Null at the end.' }),
}) {}
