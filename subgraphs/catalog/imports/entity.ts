import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ImportData } from './data.ts';

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

  @FieldProperty({ type: 'integer', description: 'Number of variants of a family.' })
  childCount: Opt<number> = 0;

  /** The product that the item became. */
  @Property({ type: 'uuid', nullable: true })
  productId: string | null = null;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
