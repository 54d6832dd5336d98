import { ID, ObjectType } from 'type-graphql';
import { column, columns, Deletion, Owned, Table, timestamps } from '../../../platform/database/index.ts';
import type { Limit } from '../../../platform/fields/index.ts';
import { args, field } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ListArguments, PageArguments } from '../site-list.ts';

/** Base class of the records of a site. */
@ObjectType()
@Table()
export abstract class SiteRecord extends columns(Owned, {
  siteId: column('uuid'),
  version: column('integer', {
    initial: 1,
    description: 'Increases with every edit. An edit must send the version that it is based on.',
  }),
  ...timestamps,
}) {}

/** Base class of records with drafts. */
@ObjectType()
@Table()
export abstract class PublishableRecord extends columns(SiteRecord, {
  status: column(enumTypes.PublicationStatus, { initial: 'draft' }),
  publishedAt: column('datetime', {
    nullable: true,
    description: 'When the record was last published; null unless it is published.',
  }),
  publishAt: column('datetime', {
    nullable: true,
    description: 'When the record will be published; null unless it is scheduled.',
  }),
}) {}

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

export class SiteListArguments extends args(ListArguments, {
  siteId: field(ID),
}) {}

export class PublishableListArguments extends args(SiteListArguments, {
  status: field(enumTypes.PublicationFilter, { defaultValue: 'published', description: DRAFTS }),
}) {}

/** Arguments of a list of publishable records inside its parent. */
export class NestedPublishableArguments extends args(PageArguments, {
  status: field(enumTypes.PublicationFilter, { defaultValue: 'published', description: DRAFTS }),
}) {}

@ObjectType({ description: 'Confirms that a record of a site was deleted.' })
export class DeletedContent extends Deletion {}
