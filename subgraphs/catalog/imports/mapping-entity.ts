import { ID, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';

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
