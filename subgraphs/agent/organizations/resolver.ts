import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Agent } from '../agents/entity.ts';
import * as agents from '../agents/service.ts';
import { adminScope } from './access.ts';
import { AgentOrganization } from './types.ts';

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
