import { ID, ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, OfWorkspace, Owned, Table } from '../../../platform/database/index.ts';
import { args, field } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ListArguments, ListOf } from '../site-list.ts';

@ObjectType({
  description: 'A member of a workspace. Its owners and admins may edit its content, also as plain members of the organization.',
})
@Table('site_content.members')
@OfWorkspace('workspaceId')
export class WorkspaceMember extends columns(Owned, {
  workspaceId: hidden('uuid'),
  userId: column('uuid'),
  role: column(enumTypes.Role),
  joinedAt: column('datetime', { initial: clock.now }),
}) {}

export class WorkspaceMembersArguments extends args(ListArguments, {
  workspaceId: field(ID),
}) {}

@ObjectType({ description: 'One page of members of a workspace.' })
export class WorkspaceMemberList extends ListOf(WorkspaceMember, 'WorkspaceMemberList') {}
