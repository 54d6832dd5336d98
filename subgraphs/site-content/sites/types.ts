import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { changeOf, Limited, NAME, SLUG } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ListArguments, ListOf, PageArguments } from '../site-list.ts';
import { Site } from './entity.ts';

@ArgsType()
export class SitesArguments extends ListArguments {
  @Field(() => ID, { nullable: true, description: 'Return only sites of this workspace.' })
  workspaceId?: string | null;

  @Field(() => enumTypes.SiteFilter, {
    defaultValue: 'published',
    description: 'Only owners and admins can use values other than `published`.',
  })
  status!: EnumValue<'SiteFilter'>;
}

@ArgsType()
export class SitesOfWorkspaceArguments extends PageArguments {
  @Field(() => enumTypes.SiteFilter, {
    defaultValue: 'published',
    description: 'Only owners and admins can use values other than `published`.',
  })
  status!: EnumValue<'SiteFilter'>;
}

@InputType({ description: 'A new site, created as a draft.' })
export class NewSite {
  @Field(() => ID)
  workspaceId!: string;

  @Limited(NAME)
  @Field(() => String)
  name!: string;

  @Limited(SLUG)
  @Field(() => String, { description: 'Unique within the workspace.' })
  slug!: string;
}

@InputType({ description: 'Changes to a site. Fields that are omitted or null stay unchanged.' })
export class SiteChange extends changeOf(NewSite, { without: ['workspaceId'] }) {}

@ObjectType({ description: 'Confirms that a site was deleted.' })
export class DeletedSite {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean, { description: 'Always true.' })
  deleted!: boolean;
}

@ObjectType({ description: 'One page of sites.' })
export class SiteList extends ListOf(Site, 'SiteList') {}
