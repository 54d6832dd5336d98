import { Authorized, Ctx, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { field, list, output } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';

@ObjectType({ description: 'An organization that the API key can access.' })
class IdentityOrganization extends output({
  id: field(ID),
  name: field(String),
  slug: field(String, 'Identifies the organization in REST paths.'),
}) {}

@ObjectType({ description: 'The user of the API key and the organizations that the key can access.' })
class Identity extends output({
  userId: field(ID),
  organizations: list(IdentityOrganization, { assumedSize: 10, description: 'Sorted by name.' }),
  boundOrganization: field(IdentityOrganization, {
    nullable: true,
    description: 'The organization in which the key was created; null if its user has left it.',
  }),
}) {}

@Resolver()
export class IdentityResolver {
  @Authorized('user')
  @Query(() => Identity, { description: 'The user of the API key and the organizations that the key can access.' })
  identity(@Ctx() { caller: { userId, organizations, boundOrganizationId } }: RequestScope): Identity {
    return { userId, organizations, boundOrganization: organizations.find(({ id }) => id === boundOrganizationId) ?? null };
  }
}
