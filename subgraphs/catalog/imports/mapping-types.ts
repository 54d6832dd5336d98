import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Limited, NAME } from '../../../platform/input/index.ts';
import { CursorPageOf, cursorArguments, ListSize } from '../../../platform/lists/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ONE_LINE } from '../../../schema/text.ts';
import type { AttributeType } from '../attributes/attribute-content.ts';
import { Attribute } from '../attributes/entity.ts';
import { ImportCell, ImportData, ImportQuestion, ImportValue } from './data.ts';
import { ImportMapping } from './mapping-entity.ts';

/** Tables of one import that can be mapped, and rows and cells that a proposal shows. */
export const [MAX_TABLES, SHOWN] = [20, 5];
const MAX_COLUMNS = 500;

@InputType({ description: 'An attribute that is created when the mapping is used or saved. Needs the role admin.' })
export class NewColumnAttribute {
  @Limited({ ...NAME, maxLength: 128 })
  @Field(() => String)
  name!: string;

  @Limited({ minLength: 1, maxLength: 128, pattern: /^[a-z0-9][a-z0-9_-]*$/ })
  @Field(() => String, { description: 'An attribute that has this slug and type already is used.' })
  slug!: string;

  @Field(() => enumTypes.AttributeType)
  type!: AttributeType;

  @Limited({ maxLength: 32 })
  @Field(() => String, { nullable: true, description: 'Unit of a number.' })
  unit?: string | null;
}

@InputType({ description: 'The use of a column. Without a field or an attribute, its cells stay with the product as its source.' })
export class ImportColumnInput {
  @Limited({ minLength: 1, maxLength: 300 })
  @Field(() => String, { description: 'The header, as `proposeImportMapping` names it.' })
  column!: string;

  @Field(() => enumTypes.ImportField, { nullable: true })
  field?: EnumValue<'ImportField'> | null;

  @Field(() => ID, { nullable: true, description: 'A product attribute that gets the values.' })
  attributeId?: string | null;

  @Field(() => NewColumnAttribute, { nullable: true, description: 'Instead of `attributeId`.' })
  newAttribute?: NewColumnAttribute | null;

  @Limited({ maxLength: 32 })
  @Field(() => String, {
    nullable: true,
    description: 'The unit of cells that state none, for example `g`. By default that of the header, or else of the attribute.',
  })
  unit?: string | null;

  @Field(() => enumTypes.DecimalMark, { nullable: true, description: 'By default, the mark that the cells of the column show.' })
  decimalMark?: EnumValue<'DecimalMark'> | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Leave the cells out, also as a source.' })
  isIgnored!: boolean;
}

@InputType({ description: 'The uses of the columns of one table. Such a table is read without a model, at no charge.' })
export class ImportTableMapping {
  @Field(() => ID, { description: 'The uploaded file.' })
  fileId!: string;

  @Limited({ maxLength: 100 })
  @Field(() => String, { defaultValue: 'CSV', description: 'The name of the sheet; `CSV` for CSV files.' })
  sheet!: string;

  @Limited({ minItems: 1, maxItems: MAX_COLUMNS })
  @Field(() => [ImportColumnInput], { description: 'Columns that are not named are a source.' })
  columns!: ImportColumnInput[];
}

@InputType({ description: 'A mapping for the files of a supplier, which is found again by the columns.' })
export class NewImportMapping {
  @Limited({ minLength: 1, maxLength: 128, pattern: ONE_LINE })
  @Field(() => String)
  supplier!: string;

  @Limited({ minItems: 1, maxItems: MAX_COLUMNS })
  @Field(() => [ImportColumnInput], {
    description: 'All columns of the table. A mapping of the supplier with the same columns is replaced.',
  })
  columns!: ImportColumnInput[];
}

@ArgsType()
export class ProposalArguments {
  @Limited({ minItems: 1, maxItems: 5 })
  @Field(() => [ID], { description: 'Uploaded files. Only their tables have columns.' })
  uploadedFileIds!: string[];

  @Limited({ maxItems: MAX_TABLES })
  @Field(() => [ImportTableMapping], { nullable: true, description: 'Uses to try. Other tables get a proposal.' })
  mapping?: ImportTableMapping[] | null;
}

@ArgsType()
export class ImportMappingsArguments extends cursorArguments(50) {}

@ObjectType({ description: 'A column of a table with the proposed use of it.' })
export class ImportColumnProposal {
  @Field(() => String, { description: 'The header. A column without one has the letter that a spreadsheet shows.' })
  column!: string;

  @Field(() => enumTypes.ImportField, { nullable: true })
  field!: EnumValue<'ImportField'> | null;

  @Field(() => Attribute, { nullable: true })
  attribute!: Attribute | null;

  @Field(() => ProposedAttribute, { nullable: true, description: 'An attribute to create.' })
  newAttribute!: ProposedAttribute | null;

  @Field(() => String, { nullable: true, description: 'The unit of cells that state none, if a mapping or a model says one.' })
  unit!: string | null;

  @Field(() => enumTypes.DecimalMark, { nullable: true, description: 'Null unless a mapping says one.' })
  decimalMark!: EnumValue<'DecimalMark'> | null;

  @Field(() => String, { nullable: true, description: 'The unit at the end of the header, which counts unless `unit` is set.' })
  detectedUnit!: string | null;

  @Field(() => enumTypes.DecimalMark, {
    nullable: true,
    description: 'The mark that the cells of this file show, which counts unless `decimalMark` is set. Null if they show none.',
  })
  detectedDecimalMark!: EnumValue<'DecimalMark'> | null;

  @Field(() => Boolean)
  isIgnored!: boolean;

  @Field(() => enumTypes.ImportColumnReason, { nullable: true, description: 'Null for a column that is only a source.' })
  reason!: EnumValue<'ImportColumnReason'> | null;

  @ListSize(SHOWN)
  @Field(() => [String], {
    description: 'The first five cells that are not empty, as far as the first page of the table has them.',
  })
  samples!: string[];
}

@ObjectType({ description: 'An attribute that a mapping creates.' })
export class ProposedAttribute {
  @Field(() => String)
  name!: string;

  @Field(() => String)
  slug!: string;

  @Field(() => enumTypes.AttributeType)
  type!: AttributeType;

  @Field(() => String, { nullable: true })
  unit!: string | null;
}

@ObjectType({ description: 'One of the first rows of a table, as an import with these uses reads it.' })
export class ImportPreviewRow {
  @Field(() => Int, { description: 'The number of the row as a spreadsheet shows it.' })
  row!: number;

  @Field(() => ImportData, { nullable: true, description: 'Null for a row that states no product.' })
  data!: ImportData | null;

  @Field(() => String, { nullable: true, description: 'The SKU or name of the parent.' })
  parent!: string | null;

  @ListSize(20)
  @Field(() => [ImportValue])
  values!: ImportValue[];

  @ListSize(20)
  @Field(() => [ImportCell])
  source!: ImportCell[];

  @ListSize(2)
  @Field(() => [ImportQuestion])
  questions!: ImportQuestion[];
}

@ObjectType({ description: 'A table of an uploaded file with the proposed uses of its columns.' })
export class ImportTableProposal {
  @Field(() => ID)
  fileId!: string;

  @Field(() => String, { description: 'The name of the file.' })
  file!: string;

  @Field(() => String, { description: 'The name of the sheet; `CSV` for CSV files.' })
  sheet!: string;

  @Field(() => Int, { description: 'Pages that an import reads with a model unless it maps the table.' })
  pages!: number;

  @ListSize(5)
  @Field(() => [ImportMapping], {
    description: 'Saved mappings of the same columns, at most five, the last saved first. The proposal is the first one.',
  })
  saved!: ImportMapping[];

  @ListSize(50)
  @Field(() => [ImportColumnProposal])
  columns!: ImportColumnProposal[];

  @ListSize(SHOWN)
  @Field(() => [ImportPreviewRow], { description: 'The first five rows with these uses.' })
  rows!: ImportPreviewRow[];
}

@ObjectType({ description: 'One page of saved mappings, by the name of the supplier.' })
export class ImportMappingPage extends CursorPageOf(ImportMapping, 'ImportMappingPage') {}
