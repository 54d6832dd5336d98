import { Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Workspace } from '../workspaces/entity.ts';
import { SiteIdentity } from './types.ts';

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
