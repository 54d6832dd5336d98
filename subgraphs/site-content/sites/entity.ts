import { Directive, ID, InputType, ObjectType } from 'type-graphql';
import { column, columns, Deletion, OfWorkspace, Owned, Table, timestamps } from '../../../platform/database/index.ts';
import { args, changeOf, field, input, NAME, SLUG } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ListArguments, ListOf, PageArguments } from '../site-list.ts';

@ObjectType({ description: 'A site of a workspace. Members see only published sites; owners and admins also see drafts.' })
@Directive('@key(fields: "id")')
@Table('site_content.sites')
@OfWorkspace('workspaceId')
export class Site extends columns(Owned, {
  workspaceId: column('uuid'),
  name: column('string', { length: 255 }),
  slug: column('string', { length: 64, description: 'Unique within the workspace.' }),
  status: column(enumTypes.SiteStatus, { initial: 'draft' }),
  publishedAt: column('datetime', { nullable: true, description: 'When the site was last published; null for a draft.' }),
  version: column('integer', { initial: 1, description: 'Increases with every edit.' }),
  ...timestamps,
}) {}

export class SitesArguments extends args(ListArguments, {
  workspaceId: field(ID, { nullable: true, description: 'Return only sites of this workspace.' }),
  status: field(enumTypes.SiteFilter, {
    defaultValue: 'published',
    description: 'Only owners and admins can use values other than `published`.',
  }),
}) {}

export class SitesOfWorkspaceArguments extends args(PageArguments, {
  status: field(enumTypes.SiteFilter, {
    defaultValue: 'published',
    description: 'Only owners and admins can use values other than `published`.',
  }),
}) {}

@InputType({ description: 'A new site, created as a draft.' })
export class NewSite extends input({
  workspaceId: field(ID),
  name: field(String, { ...NAME }),
  slug: field(String, { ...SLUG, description: 'Unique within the workspace.' }),
}) {}

@InputType({ description: 'Changes to a site. Fields that are omitted or null stay unchanged.' })
export class SiteChange extends changeOf(NewSite, { without: ['workspaceId'] }) {}

@ObjectType({ description: 'Confirms that a site was deleted.' })
export class DeletedSite extends Deletion {}

@ObjectType({ description: 'One page of sites.' })
export class SiteList extends ListOf(Site, 'SiteList') {}
