import { Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../common/scope.ts';
import { SiteIdentity } from './types.ts';

@Resolver()
export class SiteIdentityResolver {
  @Authorized('user')
  @Query(() => SiteIdentity, { description: 'The user of the API key and the site content that the key can read.' })
  siteIdentity(@Ctx() { caller }: RequestScope): SiteIdentity {
    const { userId, name, email, organizations, boundOrganizationId } = caller;
    const boundOrganization = organizations.find(({ id }) => id === boundOrganizationId) ?? null;
    return { userId, name, email, organizations, boundOrganization, workspace: null };
  }
}
