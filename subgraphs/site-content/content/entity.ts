import type { Opt } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

/** Base class of the records of a site. */
@ObjectType()
export abstract class SiteRecord extends Owned {
  @FieldProperty({ type: 'uuid' })
  siteId!: string;

  @FieldProperty({ type: 'integer', description: 'Increases with every edit. An edit must send the version that it is based on.' })
  version: Opt<number> = 1;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}

/** Base class of records with drafts. */
@ObjectType()
export abstract class PublishableRecord extends SiteRecord {
  @FieldProperty(() => enumTypes.PublicationStatus, { type: 'string' })
  status: Opt<EnumValue<'PublicationStatus'>> = 'draft';

  @FieldProperty({
    type: 'datetime',
    nullable: true,
    description: 'When the record was last published; null unless it is published.',
  })
  publishedAt: Date | null = null;

  @FieldProperty({
    type: 'datetime',
    nullable: true,
    description: 'When the record will be published; null unless it is scheduled.',
  })
  publishAt: Date | null = null;
}

/** Columns of lists, for the statements that read plain rows. */
export const RECORD_COLUMNS = ['id', 'organizationId', 'siteId', 'version', 'createdAt', 'updatedAt'] as const;
export const PUBLISHABLE_COLUMNS = [...RECORD_COLUMNS, 'status', 'publishedAt', 'publishAt'] as const;
