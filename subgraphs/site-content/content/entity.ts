import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, ID, ObjectType } from 'type-graphql';
import { clock, Deletion, FieldProperty, Owned } from '../../../platform/database/index.ts';
import type { Limit } from '../../../platform/fields/index.ts';
import { args, field } from '../../../platform/fields/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ListArguments, PageArguments } from '../site-list.ts';

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

/** Sentences that several public descriptions contain. */
export const EDITORS = 'Needs the role admin in the organization or the workspace.';
export const VERSION =
  'The version that the edit is based on. If it is not the current one, the edit fails with `CONFLICT` and the current version.';
export const HTML = 'HTML. Elements, attributes and URLs outside the allow-list are removed.';

/** A slug of content, which may be longer than that of an organization. */
export const CONTENT_SLUG: Limit = { minLength: 1, maxLength: 128, pattern: /^[a-z0-9][a-z0-9-]*$/ };
export const TITLE: Limit = { minLength: 1, maxLength: 255, pattern: /\S/ };

const DRAFTS = 'Only owners and admins can use values other than `published`.';

@ArgsType()
export class SiteListArguments extends args(ListArguments, {
  siteId: field(ID),
}) {}

@ArgsType()
export class PublishableListArguments extends args(SiteListArguments, {
  status: field(enumTypes.PublicationFilter, { defaultValue: 'published', description: DRAFTS }),
}) {}

/** Arguments of a list of publishable records inside its parent. */
@ArgsType()
export class NestedPublishableArguments extends args(PageArguments, {
  status: field(enumTypes.PublicationFilter, { defaultValue: 'published', description: DRAFTS }),
}) {}

@ObjectType({ description: 'Confirms that a record of a site was deleted.' })
export class DeletedContent extends Deletion {}
