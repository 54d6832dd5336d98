import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ID, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
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
@Entity({ schema: 'catalog', tableName: 'import_mappings' })
export class ImportMapping extends Owned {
  @FieldProperty({ type: 'text' })
  supplier!: string;

  /** A hash of the headers in any order. */
  @Property({ type: 'text' })
  signature!: string;

  @ListSize(50)
  @FieldProperty(() => [ColumnUse], { type: 'json' })
  columns!: ColumnUse[];

  /** The headers that fill attributes, as later files are compared with them. */
  @Property({ type: 'array' })
  synonyms!: string[];

  @FieldProperty({ type: 'datetime' })
  savedAt: Opt<Date> = clock.now();
}
