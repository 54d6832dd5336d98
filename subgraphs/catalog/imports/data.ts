import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, Int, ObjectType } from 'type-graphql';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { type AttributeContent, AttributeContentScalar, type AttributeType } from '../attributes/attribute-content.ts';

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

  @Field(() => String, { nullable: true, description: 'Unit of measure.' })
  uom?: string | null;

  @Field(() => String, { nullable: true, description: "The caller's own identifier." })
  externalId?: string | null;

  @Field(() => VariantOptionsScalar, { description: 'Empty for families.' })
  variantOptions!: Record<string, string>;
}

@ObjectType({ description: 'A row of a table in an uploaded file.' })
export class ImportRow {
  @Field(() => String, { description: 'The name of the file.' })
  file!: string;

  @Field(() => String, { description: 'The name of the sheet; `CSV` for CSV files.' })
  sheet!: string;

  @Field(() => Int, { description: 'The number of the row as a spreadsheet shows it.' })
  row!: number;

  /** The job item that read the row. */
  itemId!: string;

  /** Order of the row in the files. */
  position?: number;
}

@ObjectType({ description: 'A cell of a row with its column.' })
export class ImportCell {
  @Field(() => String)
  column!: string;

  @Field(() => String)
  cell!: string;
}

@ObjectType({ description: 'The value of an attribute that a cell states, in the type and unit of the attribute.' })
export class ImportValue extends ImportCell {
  @Field(() => String, { description: 'The slug of the attribute.' })
  slug!: string;

  @Field(() => String)
  attributeName!: string;

  @Field(() => enumTypes.AttributeType)
  attributeType!: AttributeType;

  @Field(() => AttributeContentScalar, { nullable: true })
  value!: AttributeContent;

  attributeId!: string;

  /** The row of the value, if it is not the first one of the item. */
  from?: ImportRow;
}

@ObjectType({ description: 'A question that a person answers with `updateImportItem`, because the file does not.' })
export class ImportQuestion extends ImportCell {
  @Field(() => String, { description: 'Identifies the question within its item.' })
  key!: string;

  @Field(() => enumTypes.ImportQuestionKind)
  kind!: EnumValue<'ImportQuestionKind'>;

  @Field(() => String, { nullable: true, description: 'The slug of the attribute, for a question about a value.' })
  slug!: string | null;

  @Field(() => String, { description: 'The reason for the question.' })
  text!: string;

  @Field(() => [AttributeContentScalar], {
    description: 'Possible answers. For duplicates, the numbers of the rows; the item has the first one until somebody answers.',
  })
  readings!: AttributeContent[];

  @Field(() => [String], {
    nullable: true,
    description: 'For duplicates, the content of each row in the columns in which they differ, in the order of `readings`.',
  })
  statements?: string[];

  @Field(() => String, { nullable: true, description: 'The name of the attribute, for a question about a value.' })
  attributeName?: string;

  @Field(() => enumTypes.AttributeType, { nullable: true, description: 'The type of the attribute, for a question about a value.' })
  attributeType?: AttributeType;

  attributeId?: string;
}

/** The fields and attributes whose columns exist and are empty in a row. */
export interface EmptyCells {
  fields: string[];
  slugs: string[];
}

/** A row of a file that states a product. */
export interface ImportCandidate {
  row: ImportRow;
  data: ImportData;
  empty: EmptyCells;
  values: ImportValue[];
  /** The cells that are neither fields nor values. */
  source: ImportCell[];
  questions: ImportQuestion[];
}

/** The content of an item besides its fields. */
export interface ImportDetails {
  rows: ImportRow[];
  values: ImportValue[];
  source: ImportCell[];
  questions: ImportQuestion[];
  empty: EmptyCells;
  /** Other rows with the same identity and different content. */
  others: ImportCandidate[];
}

export const noDetails = (): ImportDetails => ({
  ...{ rows: [], values: [], source: [], questions: [], others: [] },
  empty: { fields: [], slugs: [] },
});
