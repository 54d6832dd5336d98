import { Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

/** Base class of the records of a site. */
@ObjectType()
export abstract class SiteRecord extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  siteId!: string;

  @Field(() => Int, { description: 'Increases with every edit. An edit must send the version that it is based on.' })
  @Property({ type: 'integer' })
  version: Opt<number> = 1;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date)
  @Property({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}

/** Base class of records with drafts. */
@ObjectType()
export abstract class PublishableRecord extends SiteRecord {
  @Field(() => enumTypes.PublicationStatus)
  @Property({ type: 'string' })
  status: Opt<EnumValue<'PublicationStatus'>> = 'draft';

  @Field(() => Date, { nullable: true, description: 'When the record was last published; null unless it is published.' })
  @Property({ type: 'datetime', nullable: true })
  publishedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the record will be published; null unless it is scheduled.' })
  @Property({ type: 'datetime', nullable: true })
  publishAt: Date | null = null;
}

/** Columns of lists, for the statements that read plain rows. */
export const RECORD_COLUMNS = ['id', 'organizationId', 'siteId', 'version', 'createdAt', 'updatedAt'] as const;
export const PUBLISHABLE_COLUMNS = [...RECORD_COLUMNS, 'status', 'publishedAt', 'publishAt'] as const;
