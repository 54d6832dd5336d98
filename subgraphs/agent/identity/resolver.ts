import { Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../common/scope.ts';
import { Identity } from './types.ts';

@Resolver()
export class IdentityResolver {
  @Authorized('user')
  @Query(() => Identity, { description: 'Whose key it is, and which organizations it reaches.' })
  identity(@Ctx() { caller: { userId, organizations, boundOrganizationId } }: RequestScope): Identity {
    return { userId, organizations, boundOrganization: organizations.find(({ id }) => id === boundOrganizationId) ?? null };
  }
}
