import { ID, InputType, Int, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { args, field, input, list, NAME, output } from '../../../platform/fields/index.ts';
import { CursorPageOf, cursorArguments } from '../../../platform/lists/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ONE_LINE } from '../../../schema/text.ts';
import type { AttributeType } from '../attributes/attribute-content.ts';
import { Attribute } from '../attributes/entity.ts';
import { ImportCell, ImportData, ImportQuestion, ImportValue } from './data.ts';

@ObjectType({ description: 'The use of a column in a saved mapping. Without a field or an attribute, it is a source.' })
export class ColumnUse extends output({
  column: field(String, 'The header.'),
  field: field(enumTypes.ImportField, { nullable: true }),
  attributeId: field(ID, { nullable: true }),
  unit: field(String, { nullable: true, description: 'The unit of cells that state none.' }),
  decimalMark: field(enumTypes.DecimalMark, { nullable: true }),
  isIgnored: field(Boolean),
}) {}

/** The uses of the columns of a table in an uploaded file. */
export interface TableMapping {
  fileId: string;
  sheet: string;
  columns: ColumnUse[];
}

@ObjectType({ description: 'A mapping of columns that was saved for a supplier.' })
@Table('catalog.import_mappings')
export class ImportMapping extends columns(Owned, {
  supplier: column('text'),
  /** A hash of the headers in any order. */
  signature: hidden('text'),
  columns: column([ColumnUse], { type: 'json', assumedSize: 50 }),
  /** The headers that fill attributes, as later files are compared with them. */
  synonyms: hidden('array'),
  savedAt: column('datetime', { initial: clock.now }),
}) {}

/** Tables of one import that can be mapped, and rows and cells that a proposal shows. */
export const [MAX_TABLES, SHOWN] = [20, 5];
const MAX_COLUMNS = 500;

@InputType({ description: 'An attribute that is created when the mapping is used or saved. Needs the role admin.' })
export class NewColumnAttribute extends input({
  name: field(String, { ...NAME, maxLength: 128 }),
  slug: field(String, {
    minLength: 1,
    maxLength: 128,
    pattern: /^[a-z0-9][a-z0-9_-]*$/,
    description: 'An attribute that has this slug and type already is used.',
  }),
  type: field(enumTypes.AttributeType).as<AttributeType>(),
  unit: field(String, { maxLength: 32, nullable: true, description: 'Unit of a number.' }),
}) {}

@InputType({ description: 'The use of a column. Without a field or an attribute, its cells stay with the product as its source.' })
export class ImportColumnInput extends input({
  column: field(String, { minLength: 1, maxLength: 300, description: 'The header, as `proposeImportMapping` names it.' }),
  field: field(enumTypes.ImportField, { nullable: true }),
  attributeId: field(ID, { nullable: true, description: 'A product attribute that gets the values.' }),
  newAttribute: field(NewColumnAttribute, { nullable: true, description: 'Instead of `attributeId`.' }),
  unit: field(String, {
    maxLength: 32,
    nullable: true,
    description: 'The unit of cells that state none, for example `g`. By default that of the header, or else of the attribute.',
  }),
  decimalMark: field(enumTypes.DecimalMark, {
    nullable: true,
    description: 'By default, the mark that the cells of the column show.',
  }),
  isIgnored: field(Boolean, { defaultValue: false, description: 'Leave the cells out, also as a source.' }),
}) {}

@InputType({ description: 'The uses of the columns of one table. Such a table is read without a model, at no charge.' })
export class ImportTableMapping extends input({
  fileId: field(ID, 'The uploaded file.'),
  sheet: field(String, { maxLength: 100, defaultValue: 'CSV', description: 'The name of the sheet; `CSV` for CSV files.' }),
  columns: list(ImportColumnInput, { minItems: 1, maxItems: MAX_COLUMNS, description: 'Columns that are not named are a source.' }),
}) {}

@InputType({ description: 'A mapping for the files of a supplier, which is found again by the columns.' })
export class NewImportMapping extends input({
  supplier: field(String, { minLength: 1, maxLength: 128, pattern: ONE_LINE }),
  columns: list(ImportColumnInput, {
    minItems: 1,
    maxItems: MAX_COLUMNS,
    description: 'All columns of the table. A mapping of the supplier with the same columns is replaced.',
  }),
}) {}

export class ProposalArguments extends args({
  uploadedFileIds: list(ID, { minItems: 1, maxItems: 5, description: 'Uploaded files. Only their tables have columns.' }),
  mapping: list(ImportTableMapping, {
    maxItems: MAX_TABLES,
    nullable: true,
    description: 'Uses to try. Other tables get a proposal.',
  }),
}) {}

export class ImportMappingsArguments extends cursorArguments(50) {}

@ObjectType({ description: 'A column of a table with the proposed use of it.' })
export class ImportColumnProposal extends output({
  column: field(String, 'The header. A column without one has the letter that a spreadsheet shows.'),
  field: field(enumTypes.ImportField, { nullable: true }),
  attribute: field(Attribute, { nullable: true }),
  newAttribute: field(() => ProposedAttribute, { nullable: true, description: 'An attribute to create.' }),
  unit: field(String, { nullable: true, description: 'The unit of cells that state none, if a mapping or a model says one.' }),
  decimalMark: field(enumTypes.DecimalMark, { nullable: true, description: 'Null unless a mapping says one.' }),
  detectedUnit: field(String, {
    nullable: true,
    description: 'The unit at the end of the header, which counts unless `unit` is set.',
  }),
  detectedDecimalMark: field(enumTypes.DecimalMark, {
    nullable: true,
    description: 'The mark that the cells of this file show, which counts unless `decimalMark` is set. Null if they show none.',
  }),
  isIgnored: field(Boolean),
  reason: field(enumTypes.ImportColumnReason, { nullable: true, description: 'Null for a column that is only a source.' }),
  samples: list(String, {
    assumedSize: SHOWN,
    description: 'The first five cells that are not empty, as far as the first page of the table has them.',
  }),
}) {}

@ObjectType({ description: 'An attribute that a mapping creates.' })
class ProposedAttribute extends output({
  name: field(String),
  slug: field(String),
  type: field(enumTypes.AttributeType).as<AttributeType>(),
  unit: field(String, { nullable: true }),
}) {}

@ObjectType({ description: 'One of the first rows of a table, as an import with these uses reads it.' })
export class ImportPreviewRow extends output({
  row: field(Int, 'The number of the row as a spreadsheet shows it.'),
  data: field(ImportData, { nullable: true, description: 'Null for a row that states no product.' }),
  parent: field(String, { nullable: true, description: 'The SKU or name of the parent.' }),
  values: list(ImportValue, { assumedSize: 20 }),
  source: list(ImportCell, { assumedSize: 20 }),
  questions: list(ImportQuestion, { assumedSize: 2 }),
}) {}

@ObjectType({ description: 'A table of an uploaded file with the proposed uses of its columns.' })
export class ImportTableProposal extends output({
  fileId: field(ID),
  file: field(String, 'The name of the file.'),
  sheet: field(String, 'The name of the sheet; `CSV` for CSV files.'),
  pages: field(Int, 'Pages that an import reads with a model unless it maps the table.'),
  saved: list(ImportMapping, {
    assumedSize: 5,
    description: 'Saved mappings of the same columns, at most five, the last saved first. The proposal is the first one.',
  }),
  columns: list(ImportColumnProposal, { assumedSize: 50 }),
  rows: list(ImportPreviewRow, { assumedSize: SHOWN, description: 'The first five rows with these uses.' }),
}) {}

@ObjectType({ description: 'One page of saved mappings, by the name of the supplier.' })
export class ImportMappingPage extends CursorPageOf(ImportMapping, 'ImportMappingPage') {}
