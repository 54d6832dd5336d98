import { Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Identity } from './types.ts';

@Resolver()
export class IdentityResolver {
  @Authorized('user')
  @Query(() => Identity, { description: 'The user of the API key and the organizations that the key can access.' })
  identity(@Ctx() { caller: { userId, organizations, boundOrganizationId } }: RequestScope): Identity {
    return { userId, organizations, boundOrganization: organizations.find(({ id }) => id === boundOrganizationId) ?? null };
  }
}
