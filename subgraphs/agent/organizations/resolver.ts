import { Authorized, Ctx, Directive, FieldResolver, ID, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { field, list, output } from '../../../platform/fields/index.ts';
import { Organization } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { Agent } from '../agents/entity.ts';
import * as agents from '../agents/service.ts';

/** The stub of `Organization` in this subgraph. The catalog owns its other fields. */
@ObjectType('Organization')
@Directive('@key(fields: "id")')
export class AgentOrganization extends output({
  id: field(ID),
}) {}

@Resolver(() => AgentOrganization)
export class OrganizationAgentsResolver {
  // Nullable, so that an error in one organization does not null the others.
  @ListSize(100)
  @FieldResolver(() => [Agent], {
    nullable: true,
    description: 'Sorted by name. Null, with an error, unless the caller is an owner or admin.',
  })
  agents(@Ctx() scope: RequestScope, @Root() { id }: AgentOrganization) {
    return agents.listAgents(adminScope(scope, id));
  }
}

/**
 * Binds the request to an organization in which the caller is an owner or admin; throws `FORBIDDEN` otherwise. `@Authorized` checks
 * only the organization of the request, and the caller's role may differ here.
 */
export function adminScope(scope: RequestScope, organizationId: string): RequestScope {
  const within = scope.within(organizationId);
  if (within.organization.role === 'member') throw fail('FORBIDDEN', 'This needs the role admin in the organization.');
  return within;
}

/** The modules of the organization, also for visitors, who are no members. */
export const modulesOf = async ({ em, organizationId }: Scope): Promise<EnumValue<'Module'>[]> =>
  (await em.findOneOrFail(Organization, organizationId)).modules;

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
