import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ImportData } from './data.ts';

@ObjectType({ description: 'A family, variant or standalone product that an import extracted from its files.' })
@Entity({ schema: 'catalog', tableName: 'import_items' })
export class ImportItem extends Owned {
  @Property({ type: 'uuid' })
  jobId!: string;

  @Field(() => ID, { nullable: true, description: 'The family of a variant.' })
  @Property({ type: 'uuid', nullable: true })
  parentItemId: string | null = null;

  @Field(() => enumTypes.ImportItemType)
  @Property({ type: 'string' })
  type!: EnumValue<'ImportItemType'>;

  @Field(() => enumTypes.JobItemStatus, { description: 'Stays `pending` until the item is imported.' })
  @Property({ type: 'string' })
  status: Opt<'pending' | 'completed' | 'failed'> = 'pending';

  @Field(() => String, { nullable: true, description: 'Null unless the item could not be imported.' })
  @Property({ type: 'text', nullable: true })
  errorMessage: string | null = null;

  /** Identifies the same product or family on several pages. */
  @Property({ type: 'text' })
  matchKey!: string;

  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  sku!: string;

  @Field(() => ImportData, { description: 'The fields of the product as the files state them.' })
  @Property({ type: 'json' })
  data!: ImportData;

  @Field(() => Int, { description: 'Number of variants of a family.' })
  @Property({ type: 'integer' })
  childCount: Opt<number> = 0;

  /** The product that the item became. */
  @Property({ type: 'uuid', nullable: true })
  productId: string | null = null;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
