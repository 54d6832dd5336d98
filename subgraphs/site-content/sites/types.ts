import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited, SLUG } from '../../common/limits.ts';
import { ListArguments, ListOf } from '../list.ts';
import { Site } from './entity.ts';

@ArgsType()
export class SitesArguments extends ListArguments {
  @Field(() => ID, { nullable: true, description: 'Only the sites of this workspace.' })
  workspaceId?: string | null;

  @Field(() => wordTypes.SiteFilter, {
    defaultValue: 'published',
    description: 'Others than `published` are for owners and admins.',
  })
  status!: Word<'SiteFilter'>;
}

@InputType({ description: 'What may change on a site. A field that is not sent, or null, stays as it is.' })
export class SiteChange {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { nullable: true })
  name?: string | null;

  @Limited(SLUG)
  @Field(() => String, { nullable: true, description: 'Unique within the workspace.' })
  slug?: string | null;
}

@InputType({ description: 'A site to create. It is a draft until it is published.' })
export class NewSite {
  @Field(() => ID)
  workspaceId!: string;

  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String)
  name!: string;

  @Limited(SLUG)
  @Field(() => String, { description: 'Unique within the workspace.' })
  slug!: string;
}

@ObjectType()
export class DeletedSite {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean)
  deleted!: boolean;
}

@ObjectType()
export class SiteList extends ListOf(Site, 'SiteList') {}
