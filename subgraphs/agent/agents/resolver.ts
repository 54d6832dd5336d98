import { Arg, Authorized, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { AgentOrganization } from '../organizations/resolver.ts';
import { Agent, AgentChange, AgentSummary, DeletedAgent, NewAgent } from './entity.ts';
import { OfficeHoursInput } from './office-hours.ts';
import * as agents from './service.ts';

@Access('admin')
@Resolver(() => Agent)
export class AgentResolver {
  @ListSize(100)
  @Query(() => [Agent], { description: 'All agents of the organization, sorted by name.' })
  agents(@Ctx() scope: RequestScope) {
    return agents.listAgents(scope);
  }

  @Query(() => Agent, { nullable: true, description: 'One agent by id.' })
  agent(@Ctx() scope: RequestScope, @Id() id: string) {
    return agents.findAgent(scope, id);
  }

  @Authorized('member')
  @ListSize(100)
  @Query(() => [AgentSummary], { description: 'All agents of the organization without their settings, sorted by name.' })
  agentSummaries(@Ctx() scope: RequestScope) {
    return agents.listSummaries(scope);
  }

  @Idempotent()
  @Mutation(() => Agent, { description: 'Create an agent. An organization can have up to 1,000.' })
  createAgent(@Ctx() scope: RequestScope, @Arg('input', () => NewAgent) input: NewAgent) {
    return agents.createAgent(scope, input);
  }

  @Mutation(() => Agent, { description: 'Change an agent. Omitted fields stay unchanged.' })
  updateAgent(@Ctx() scope: RequestScope, @Id() id: string, @Arg('input', () => AgentChange) input: AgentChange) {
    return agents.updateAgent(scope, id, input);
  }

  @Mutation(() => Agent, {
    description:
      'Set when people answer the visitors of an agent. Outside of the hours, a visitor who asks for a person sees the away message with the next opening. Takes effect at once, and is not part of versions.',
  })
  setOfficeHours(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Arg('officeHours', () => OfficeHoursInput, { nullable: true, description: 'Null means always open.' })
    officeHours: OfficeHoursInput | null,
  ) {
    return agents.setOfficeHours(scope, agentId, officeHours ?? null);
  }

  @Mutation(() => DeletedAgent, { description: 'Delete an agent with all of its data.' })
  deleteAgent(@Ctx() scope: RequestScope, @Id() id: string) {
    return agents.deleteAgent(scope, id);
  }

  @FieldResolver(() => String)
  systemPrompt(@Ctx() scope: RequestScope, @Root() { id, organizationId, systemPrompt }: Agent): Promise<string> | string {
    return systemPrompt ?? agents.systemPromptOf(scope.within(organizationId), id);
  }

  @FieldResolver(() => String, {
    description:
      'The element that embeds the chat widget in a page whose origin is allowed. Its URL is relative without a public URL of the API.',
  })
  embedSnippet(@Ctx() { services }: RequestScope, @Root() { publicSlug }: Agent): string {
    return `<script src="${services.publicUrl ?? ''}/widget.js" data-agent="${publicSlug}" async></script>`;
  }

  @FieldResolver(() => AgentOrganization)
  organization(@Root() { organizationId }: Agent): AgentOrganization {
    return { id: organizationId };
  }
}
