import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, Directive, ID, InputType, ObjectType } from 'type-graphql';
import { clock, Deletion, FieldProperty, OfWorkspace, Owned } from '../../../platform/database/index.ts';
import { args, changeOf, field, input, NAME, SLUG } from '../../../platform/fields/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ListArguments, ListOf, PageArguments } from '../site-list.ts';

@ObjectType({ description: 'A site of a workspace. Members see only published sites; owners and admins also see drafts.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'site_content', tableName: 'sites' })
@OfWorkspace('workspaceId')
export class Site extends Owned {
  @FieldProperty({ type: 'uuid' })
  workspaceId!: string;

  @FieldProperty({ type: 'string', length: 255 })
  name!: string;

  @FieldProperty({ type: 'string', length: 64, description: 'Unique within the workspace.' })
  slug!: string;

  @FieldProperty(() => enumTypes.SiteStatus, { type: 'string' })
  status: Opt<EnumValue<'SiteStatus'>> = 'draft';

  @FieldProperty({ type: 'datetime', nullable: true, description: 'When the site was last published; null for a draft.' })
  publishedAt: Date | null = null;

  @FieldProperty({ type: 'integer', description: 'Increases with every edit.' })
  version: Opt<number> = 1;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}

@ArgsType()
export class SitesArguments extends args(ListArguments, {
  workspaceId: field(ID, { nullable: true, description: 'Return only sites of this workspace.' }),
  status: field(enumTypes.SiteFilter, {
    defaultValue: 'published',
    description: 'Only owners and admins can use values other than `published`.',
  }),
}) {}

@ArgsType()
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
