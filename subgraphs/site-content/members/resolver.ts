import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { isId, readRows } from '../../../platform/database/index.ts';
import { Id } from '../../../platform/fields/index.ts';
import { Access, Membership, User } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { deleteRecord, editContent, flushUnique, requireEditor } from '../content/edit.ts';
import { DeletedContent } from '../content/entity.ts';
import { type ListSource, list, nestedList, PageArguments } from '../site-list.ts';
import { Workspace } from '../workspaces/entity.ts';
import { findWorkspace } from '../workspaces/service.ts';
import { WorkspaceMember, WorkspaceMemberList, WorkspaceMembersArguments } from './entity.ts';

@Access('member')
@Resolver(() => WorkspaceMember)
export class WorkspaceMemberResolver {
  /** The members of a workspace, oldest first. Throws `NOT_FOUND` for an unknown workspace. */
  @Query(() => WorkspaceMemberList, { nullable: true, description: 'The members of a workspace, oldest memberships first.' })
  async workspaceMembers(
    @Ctx() scope: RequestScope,
    @Args(() => WorkspaceMembersArguments) { workspaceId, ...page }: WorkspaceMembersArguments,
  ) {
    const workspace = await findWorkspace(scope, workspaceId);
    return list(scope, MEMBERS, workspace.id, page);
  }

  /** Add a member of the organization to a workspace. Throws `NOT_FOUND` for other users, and `CONFLICT` for a member of it. */
  @Mutation(() => WorkspaceMember, {
    description: 'Add a member of the organization to a workspace. Needs the role admin in the organization or the workspace.',
  })
  addWorkspaceMember(
    @Ctx() scope: RequestScope,
    @Id('workspaceId') workspaceId: string,
    @Id('userId') userId: string,
    @Arg('role', () => enumTypes.Role) role: EnumValue<'Role'>,
  ): Promise<WorkspaceMember> {
    return editContent(scope, async (inner) => {
      const workspace = isId(workspaceId) ? await inner.em.findOne(Workspace, workspaceId) : null;
      if (!workspace) throw fail('NOT_FOUND', 'Workspace not found');
      await requireEditor(inner, workspace.id);
      const membership = isId(userId) ? await inner.em.findOne(Membership, { userId, organizationId: inner.organizationId }) : null;
      if (!membership) throw fail('NOT_FOUND', 'User not found');
      const { organizationId } = inner;
      const member = inner.em.create(WorkspaceMember, {
        workspaceId: workspace.id,
        userId: membership.userId,
        role,
        organizationId,
      });
      await flushUnique(inner, 'The user is a member of the workspace already');
      return member;
    });
  }

  /** Throws `NOT_FOUND`. */
  @Mutation(() => WorkspaceMember, {
    description: 'Change the role of a member of a workspace. Needs the role admin in the organization or the workspace.',
  })
  updateWorkspaceMember(
    @Ctx() scope: RequestScope,
    @Id() id: string,
    @Arg('role', () => enumTypes.Role) role: EnumValue<'Role'>,
  ): Promise<WorkspaceMember> {
    return editMember(scope, id, async (_, member) => {
      member.role = role;
      return member;
    });
  }

  /** Throws `NOT_FOUND`. */
  @Mutation(() => DeletedContent, {
    description: 'Remove a member from a workspace. Needs the role admin in the organization or the workspace.',
  })
  removeWorkspaceMember(@Ctx() scope: RequestScope, @Id() id: string) {
    return editMember(scope, id, (inner, member) => deleteRecord(inner, WorkspaceMember, member));
  }

  @FieldResolver(() => String)
  async name(@Ctx() scope: RequestScope, @Root() { userId }: WorkspaceMember) {
    return (await userOf(scope, userId)).name;
  }

  @FieldResolver(() => String, { description: 'In lowercase.' })
  async email(@Ctx() scope: RequestScope, @Root() { userId }: WorkspaceMember) {
    return (await userOf(scope, userId)).email;
  }
}

@Resolver(() => Workspace)
export class WorkspaceMembersResolver {
  @FieldResolver(() => WorkspaceMemberList, { description: 'Oldest memberships first.' })
  members(@Ctx() scope: RequestScope, @Root() workspace: Workspace, @Args(() => PageArguments) page: PageArguments) {
    return listMembersOf(scope.within(workspace.organizationId), workspace.id, page);
  }
}

const MEMBERS: ListSource<WorkspaceMember> = {
  name: 'members',
  entity: WorkspaceMember,
  parent: 'workspaceId',
  rows: { columns: ['id', 'organizationId', 'workspaceId', 'userId', 'role', 'joinedAt'], ordering: 'r.joined_at, r.id' },
};

const listMembersOf = (scope: RequestScope, workspaceId: string, page: PageArguments) =>
  nestedList(scope, MEMBERS, workspaceId, page);

/** The user of a member. Batches a list into one query. */
async function userOf(scope: RequestScope, userId: string): Promise<Pick<User, 'name' | 'email'>> {
  const read = scope.batch('users of workspace members', async (ids) => {
    const users = await readRows(scope, User, { columns: ['id', 'name', 'email'], where: { id: ids } });
    return new Map(users.map((user) => [user.id, user]));
  });
  return (await read(userId)) ?? { name: '', email: '' };
}

const editMember = <T>(scope: RequestScope, id: string, work: (inner: RequestScope, member: WorkspaceMember) => Promise<T>) =>
  editContent(scope, async (inner) => {
    const member = isId(id) ? await inner.em.findOne(WorkspaceMember, id, { refresh: true }) : null;
    if (!member) throw fail('NOT_FOUND', 'Member not found');
    await requireEditor(inner, member.workspaceId);
    return work(inner, member);
  });
