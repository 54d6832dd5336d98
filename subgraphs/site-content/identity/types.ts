import { Field, ID, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { ListSize } from '../../common/list-size.ts';
import { Workspace } from '../workspaces/entity.ts';

@ObjectType({ description: 'An organization with what the user may do in it.' })
export class SiteMembership {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  slug!: string;

  @Field(() => wordTypes.Role, { description: 'Owners and admins see drafts.' })
  role!: Word<'Role'>;
}

@ObjectType({ description: 'Whose key it is, and what it reaches on the site-content surface.' })
export class SiteIdentity {
  @Field(() => ID)
  userId!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  email!: string;

  @ListSize(10)
  @Field(() => [SiteMembership], { description: 'Every organization of the user, by name.' })
  organizations!: SiteMembership[];

  @Field(() => SiteMembership, {
    nullable: true,
    description: 'The organization the key was made in, whose content it reads; null when its user has left it.',
  })
  boundOrganization!: SiteMembership | null;

  @Field(() => Workspace, { nullable: true, description: 'The one workspace the key is bound to; null when it reads all of them.' })
  workspace!: Workspace | null;
}
