import { ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ImportData, type ImportDetails, noDetails } from './data.ts';

@ObjectType({ description: 'A family, variant or standalone product that an import extracted from its files.' })
@Table('catalog.import_items')
export class ImportItem extends columns(Owned, {
  jobId: hidden('uuid'),
  parentItemId: column('uuid', { nullable: true, description: 'The family of a variant.' }),
  type: column(enumTypes.ImportItemType),
  status: column(enumTypes.JobItemStatus, { initial: 'pending', description: 'Stays `pending` until the item is imported.' }).as<
    'pending' | 'completed' | 'failed'
  >(),
  errorMessage: column('text', { nullable: true, description: 'Null unless the item could not be imported.' }),
  /** Identifies the same product or family on several pages. */
  matchKey: hidden('text'),
  name: hidden('text'),
  sku: hidden('text'),
  data: column(ImportData, { type: 'json', description: 'The fields of the product as the files state them.' }),
  /** Values, source and questions, which fields of their own expose. */
  details: hidden('json', { initial: noDetails }).as<ImportDetails>(),
  /** Order of the rows in the files. */
  position: hidden('count', { initial: 0 }),
  questionCount: column('integer', { initial: 0, description: 'Number of open questions about the item.' }),
  childCount: column('integer', { initial: 0, description: 'Number of variants of a family.' }),
  productId: column('uuid', { nullable: true, description: 'The product that the item became. Null until it is imported.' }),
  createdAt: hidden('datetime', { initial: clock.now }),
}) {}

@ObjectType({ description: 'A row of a file that became no item of its own, and why.' })
@Table('catalog.import_notes')
export class ImportNote extends columns(Owned, {
  jobId: hidden('uuid'),
  kind: column(enumTypes.ImportNoteKind),
  file: column('text', 'The name of the file.'),
  sheet: column('text', 'The name of the sheet; `CSV` for CSV files.'),
  row: column('integer', 'The number of the row as a spreadsheet shows it.'),
  position: hidden('count'),
  itemId: column('uuid', { nullable: true, description: 'The item that has the product of the row.' }),
  message: column('text', 'The reason, in one sentence.'),
}) {}
