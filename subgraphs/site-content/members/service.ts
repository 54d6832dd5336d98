import { isId, readRows } from '../../../platform/database/index.ts';
import { Membership, User } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { deleteRecord, editContent, flushUnique, requireEditor } from '../content/edit.ts';
import { type ListArguments, type ListSource, list, nestedList, type PageArguments } from '../site-list.ts';
import { Workspace } from '../workspaces/entity.ts';
import { findWorkspace } from '../workspaces/service.ts';
import { WorkspaceMember } from './entity.ts';

const MEMBERS: ListSource<WorkspaceMember> = {
  name: 'members',
  entity: WorkspaceMember,
  parent: 'workspaceId',
  rows: { columns: ['id', 'organizationId', 'workspaceId', 'userId', 'role', 'joinedAt'], ordering: 'r.joined_at, r.id' },
};

/** The members of a workspace, oldest first. Throws `NOT_FOUND` for an unknown workspace. */
export async function listMembers(scope: RequestScope, workspaceId: string, page: ListArguments) {
  const workspace = await findWorkspace(scope, workspaceId);
  return list(scope, MEMBERS, workspace.id, page);
}

export const listMembersOf = (scope: RequestScope, workspaceId: string, page: PageArguments) =>
  nestedList(scope, MEMBERS, workspaceId, page);

/** The user of a member. Batches a list into one query. */
export async function userOf(scope: RequestScope, userId: string): Promise<Pick<User, 'name' | 'email'>> {
  const read = scope.batch('users of workspace members', async (ids) => {
    const users = await readRows(scope, User, { columns: ['id', 'name', 'email'], where: { id: ids } });
    return new Map(users.map((user) => [user.id, user]));
  });
  return (await read(userId)) ?? { name: '', email: '' };
}

/** Add a member of the organization to a workspace. Throws `NOT_FOUND` for other users, and `CONFLICT` for a member of it. */
export const addMember = (
  scope: RequestScope,
  workspaceId: string,
  userId: string,
  role: EnumValue<'Role'>,
): Promise<WorkspaceMember> =>
  editContent(scope, async (inner) => {
    const workspace = isId(workspaceId) ? await inner.em.findOne(Workspace, workspaceId) : null;
    if (!workspace) throw fail('NOT_FOUND', 'Workspace not found');
    await requireEditor(inner, workspace.id);
    const membership = isId(userId) ? await inner.em.findOne(Membership, { userId, organizationId: inner.organizationId }) : null;
    if (!membership) throw fail('NOT_FOUND', 'User not found');
    const { organizationId } = inner;
    const member = inner.em.create(WorkspaceMember, { workspaceId: workspace.id, userId: membership.userId, role, organizationId });
    await flushUnique(inner, 'The user is a member of the workspace already');
    return member;
  });

/** Throws `NOT_FOUND`. */
export const changeMember = (scope: RequestScope, id: string, role: EnumValue<'Role'>): Promise<WorkspaceMember> =>
  editMember(scope, id, async (_, member) => {
    member.role = role;
    return member;
  });

/** Throws `NOT_FOUND`. */
export const removeMember = (scope: RequestScope, id: string) =>
  editMember(scope, id, (inner, member) => deleteRecord(inner, WorkspaceMember, member));

const editMember = <T>(scope: RequestScope, id: string, work: (inner: RequestScope, member: WorkspaceMember) => Promise<T>) =>
  editContent(scope, async (inner) => {
    const member = isId(id) ? await inner.em.findOne(WorkspaceMember, id, { refresh: true }) : null;
    if (!member) throw fail('NOT_FOUND', 'Member not found');
    await requireEditor(inner, member.workspaceId);
    return work(inner, member);
  });
