import { Arg, Args, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { args, field, Id } from '../../../platform/fields/index.ts';
import { Idempotent } from '../../../platform/idempotency/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Agent } from '../agents/entity.ts';
import { AgentVersion, AgentVersionPage, DiscardedDraft, VersionChange, VersionsArguments } from './entity.ts';
import * as versions from './service.ts';

class PublishArguments extends args({
  id: field(ID, 'The id of the draft.'),
  note: field(String, { maxLength: 2_000, defaultValue: '', description: 'Describes the change in the list of versions.' }),
  overwrite: field(Boolean, {
    defaultValue: false,
    description: 'Replace changes that were made to the agent itself since the draft began. Otherwise, they are a `CONFLICT`.',
  }),
  override: field(String, {
    maxLength: 2_000,
    nullable: true,
    description:
      'Only for owners: why the draft is published although the tests that the agent requires did not pass. Its version shows the reason.',
  }),
}) {}

@Access('admin')
@Resolver(() => Agent)
export class AgentDraftResolver {
  @Mutation(() => Agent, {
    description:
      'Return the draft of an agent, or create one that equals it. It is an agent of its own for all operations that read and change settings, tools, MCP servers and forms, and for `chat`. Visitors never see it. It uses the sources and signing secrets of its agent.',
  })
  openAgentDraft(@Ctx() scope: RequestScope, @Id('agentId') agentId: string) {
    return versions.openDraft(scope, agentId);
  }

  @Mutation(() => DiscardedDraft, { description: 'Delete a draft and its conversations.' })
  discardAgentDraft(@Ctx() scope: RequestScope, @Id() id: string) {
    return versions.discardDraft(scope, id);
  }

  @Idempotent({ prepares: true })
  @Mutation(() => AgentVersion, {
    description:
      'Replace the settings, tools, MCP servers and forms of the agent with those of its draft, as a new version, and delete the draft with its conversations. `CONFLICT` with `agentChanged` if the agent has changed since the draft began; `UNPROCESSABLE` if a secret is missing.',
  })
  publishAgentDraft(@Ctx() scope: RequestScope, @Args(() => PublishArguments) { id, ...options }: PublishArguments) {
    return versions.publishDraft(scope, id, options);
  }

  @Mutation(() => Agent, {
    description:
      'Replace the content of the draft with that of a version, and open a draft if there is none. Changes of an open draft are lost. Publish it to return to that version.',
  })
  restoreAgentVersion(@Ctx() scope: RequestScope, @Id() id: string) {
    return versions.restoreVersion(scope, id);
  }

  @FieldResolver(() => ID, { nullable: true, description: 'The draft of the agent; null without one.' })
  draftId(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Agent) {
    return versions.draftIdOf(scope.within(organizationId), id);
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description: 'The version that equals the agent; null if it has changed, and nobody has talked to it since.',
  })
  version(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Agent) {
    return versions.versionNumberOf(scope.within(organizationId), id);
  }

  @ListSize(100)
  @FieldResolver(() => [VersionChange], {
    description: 'The changes of a draft that its publication brings to its agent. Empty for other agents.',
  })
  draftChanges(
    @Ctx() scope: RequestScope,
    @Root() { id, draftOf, organizationId }: Agent,
  ): Promise<VersionChange[]> | VersionChange[] {
    return draftOf ? versions.changesOfDraft(scope.within(organizationId), id, draftOf) : [];
  }
}

@Access('admin')
@Resolver(() => AgentVersion)
export class AgentVersionResolver {
  @Query(() => AgentVersionPage, { nullable: true, description: 'The versions of an agent, newest first.' })
  agentVersions(
    @Ctx() scope: RequestScope,
    @Id('agentId') agentId: string,
    @Args(() => VersionsArguments) page: VersionsArguments,
  ) {
    return versions.listVersions(scope, agentId, page);
  }

  @Query(() => AgentVersion, { nullable: true, description: 'One version by id.' })
  agentVersion(@Ctx() scope: RequestScope, @Id() id: string) {
    return versions.findVersion(scope, id);
  }

  @ListSize(100)
  @FieldResolver(() => [VersionChange], { description: 'The differences from another version.' })
  changes(
    @Ctx() scope: RequestScope,
    @Root() version: AgentVersion,
    @Arg('since', () => Int, { nullable: true, description: 'The number of the other version. Default: the one before.' }) since?:
      | number
      | null,
  ) {
    return versions.changesOf(scope.within(version.organizationId), version, since);
  }
}
