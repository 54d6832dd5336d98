import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ImportData, type ImportDetails, noDetails } from './data.ts';

@ObjectType({ description: 'A family, variant or standalone product that an import extracted from its files.' })
@Entity({ schema: 'catalog', tableName: 'import_items' })
export class ImportItem extends Owned {
  @Property({ type: 'uuid' })
  jobId!: string;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The family of a variant.' })
  parentItemId: string | null = null;

  @FieldProperty(() => enumTypes.ImportItemType, { type: 'string' })
  type!: EnumValue<'ImportItemType'>;

  @FieldProperty(() => enumTypes.JobItemStatus, { type: 'string', description: 'Stays `pending` until the item is imported.' })
  status: Opt<'pending' | 'completed' | 'failed'> = 'pending';

  @FieldProperty({ type: 'text', nullable: true, description: 'Null unless the item could not be imported.' })
  errorMessage: string | null = null;

  /** Identifies the same product or family on several pages. */
  @Property({ type: 'text' })
  matchKey!: string;

  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  sku!: string;

  @FieldProperty(() => ImportData, { type: 'json', description: 'The fields of the product as the files state them.' })
  data!: ImportData;

  /** Values, source and questions, which fields of their own expose. */
  @Property({ type: 'json' })
  details: Opt<ImportDetails> = noDetails();

  /** Order of the rows in the files. */
  @Property({ type: 'bigint', runtimeType: 'number' })
  position: Opt<number> = 0;

  @FieldProperty({ type: 'integer', description: 'Number of open questions about the item.' })
  questionCount: Opt<number> = 0;

  @FieldProperty({ type: 'integer', description: 'Number of variants of a family.' })
  childCount: Opt<number> = 0;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The product that the item became. Null until it is imported.' })
  productId: string | null = null;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

@ObjectType({ description: 'A row of a file that became no item of its own, and why.' })
@Entity({ schema: 'catalog', tableName: 'import_notes' })
export class ImportNote extends Owned {
  @Property({ type: 'uuid' })
  jobId!: string;

  @FieldProperty(() => enumTypes.ImportNoteKind, { type: 'string' })
  kind!: EnumValue<'ImportNoteKind'>;

  @FieldProperty({ type: 'text', description: 'The name of the file.' })
  file!: string;

  @FieldProperty({ type: 'text', description: 'The name of the sheet; `CSV` for CSV files.' })
  sheet!: string;

  @FieldProperty({ type: 'integer', description: 'The number of the row as a spreadsheet shows it.' })
  row!: number;

  @Property({ type: 'bigint', runtimeType: 'number' })
  position!: number;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'The item that has the product of the row.' })
  itemId: string | null = null;

  @FieldProperty({ type: 'text', description: 'The reason, in one sentence.' })
  message!: string;
}
