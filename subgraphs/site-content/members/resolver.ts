import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Id } from '../../../platform/fields/index.ts';
import { Access } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { DeletedContent } from '../content/entity.ts';
import { PageArguments } from '../site-list.ts';
import { Workspace } from '../workspaces/entity.ts';
import { WorkspaceMember, WorkspaceMemberList, WorkspaceMembersArguments } from './entity.ts';
import * as members from './service.ts';

@Access('member')
@Resolver(() => WorkspaceMember)
export class WorkspaceMemberResolver {
  @Query(() => WorkspaceMemberList, { nullable: true, description: 'The members of a workspace, oldest memberships first.' })
  workspaceMembers(
    @Ctx() scope: RequestScope,
    @Args(() => WorkspaceMembersArguments) { workspaceId, ...page }: WorkspaceMembersArguments,
  ) {
    return members.listMembers(scope, workspaceId, page);
  }

  @Mutation(() => WorkspaceMember, {
    description: 'Add a member of the organization to a workspace. Needs the role admin in the organization or the workspace.',
  })
  addWorkspaceMember(
    @Ctx() scope: RequestScope,
    @Id('workspaceId') workspaceId: string,
    @Id('userId') userId: string,
    @Arg('role', () => enumTypes.Role) role: EnumValue<'Role'>,
  ) {
    return members.addMember(scope, workspaceId, userId, role);
  }

  @Mutation(() => WorkspaceMember, {
    description: 'Change the role of a member of a workspace. Needs the role admin in the organization or the workspace.',
  })
  updateWorkspaceMember(@Ctx() scope: RequestScope, @Id() id: string, @Arg('role', () => enumTypes.Role) role: EnumValue<'Role'>) {
    return members.changeMember(scope, id, role);
  }

  @Mutation(() => DeletedContent, {
    description: 'Remove a member from a workspace. Needs the role admin in the organization or the workspace.',
  })
  removeWorkspaceMember(@Ctx() scope: RequestScope, @Id() id: string) {
    return members.removeMember(scope, id);
  }

  @FieldResolver(() => String)
  async name(@Ctx() scope: RequestScope, @Root() { userId }: WorkspaceMember) {
    return (await members.userOf(scope, userId)).name;
  }

  @FieldResolver(() => String, { description: 'In lowercase.' })
  async email(@Ctx() scope: RequestScope, @Root() { userId }: WorkspaceMember) {
    return (await members.userOf(scope, userId)).email;
  }
}

@Resolver(() => Workspace)
export class WorkspaceMembersResolver {
  @FieldResolver(() => WorkspaceMemberList, { description: 'Oldest memberships first.' })
  members(@Ctx() scope: RequestScope, @Root() workspace: Workspace, @Args(() => PageArguments) page: PageArguments) {
    return members.listMembersOf(scope.within(workspace.organizationId), workspace.id, page);
  }
}
