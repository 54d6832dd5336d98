import { Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../common/scope.ts';
import { SiteIdentity } from './types.ts';

@Resolver()
export class SiteIdentityResolver {
  @Authorized('user')
  @Query(() => SiteIdentity, { description: 'Whose key it is, and what it reaches on the site-content surface.' })
  siteIdentity(@Ctx() { caller }: RequestScope): SiteIdentity {
    const { userId, name, email, organizations, boundOrganizationId } = caller;
    const boundOrganization = organizations.find(({ id }) => id === boundOrganizationId) ?? null;
    return { userId, name, email, organizations, boundOrganization, workspace: null };
  }
}
