import { Authorized, Ctx, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { field, list, output } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { Workspace } from '../workspaces/entity.ts';

@ObjectType({ description: 'An organization and the role of the user in it.' })
class SiteMembership extends output({
  id: field(ID),
  name: field(String),
  slug: field(String, 'Identifies the organization in REST paths.'),
  role: field(enumTypes.Role, 'Owners and admins also see drafts.'),
}) {}

@ObjectType({ description: 'The user of the API key and the content that the key can read.' })
class SiteIdentity extends output({
  userId: field(ID),
  name: field(String),
  email: field(String, 'In lowercase.'),
  organizations: list(SiteMembership, { assumedSize: 10, description: 'Sorted by name.' }),
  boundOrganization: field(SiteMembership, {
    nullable: true,
    description: 'The organization whose content the key reads, in which it was created; null if its user has left it.',
  }),
  workspace: field(Workspace, {
    nullable: true,
    description: 'The only workspace that the key can read; null if it can read all of them.',
  }),
}) {}

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
