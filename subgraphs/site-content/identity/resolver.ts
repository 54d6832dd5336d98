import { Authorized, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Workspace } from '../workspaces/entity.ts';

@ObjectType({ description: 'An organization and the role of the user in it.' })
class SiteMembership {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'Identifies the organization in REST paths.' })
  slug!: string;

  @Field(() => enumTypes.Role, { description: 'Owners and admins also see drafts.' })
  role!: EnumValue<'Role'>;
}

@ObjectType({ description: 'The user of the API key and the content that the key can read.' })
class SiteIdentity {
  @Field(() => ID)
  userId!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'In lowercase.' })
  email!: string;

  @ListSize(10)
  @Field(() => [SiteMembership], { description: 'Sorted by name.' })
  organizations!: SiteMembership[];

  @Field(() => SiteMembership, {
    nullable: true,
    description: 'The organization whose content the key reads, in which it was created; null if its user has left it.',
  })
  boundOrganization!: SiteMembership | null;

  @Field(() => Workspace, {
    nullable: true,
    description: 'The only workspace that the key can read; null if it can read all of them.',
  })
  workspace!: Workspace | null;
}

@Resolver()
export class SiteIdentityResolver {
  @Authorized('user')
  @Query(() => SiteIdentity, { description: 'The user of the API key and the site content that the key can read.' })
  async siteIdentity(@Ctx() scope: RequestScope): Promise<SiteIdentity> {
    const { userId, name, email, organizations, boundOrganizationId, workspaceId } = scope.caller;
    const boundOrganization = organizations.find(({ id }) => id === boundOrganizationId) ?? null;
    const isReadable = workspaceId !== null && boundOrganization !== null;
    const workspace = isReadable ? await scope.within(boundOrganization.id).load(Workspace, workspaceId) : null;
    return { userId, name, email, organizations, boundOrganization, workspace };
  }
}
