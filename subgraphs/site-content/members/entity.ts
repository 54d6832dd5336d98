import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, ID, ObjectType } from 'type-graphql';
import { clock, FieldProperty, OfWorkspace, Owned } from '../../../platform/database/index.ts';
import { args, field } from '../../../platform/fields/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ListArguments, ListOf } from '../site-list.ts';

@ObjectType({
  description: 'A member of a workspace. Its owners and admins may edit its content, also as plain members of the organization.',
})
@Entity({ schema: 'site_content', tableName: 'members' })
@OfWorkspace('workspaceId')
export class WorkspaceMember extends Owned {
  @Property({ type: 'uuid' })
  workspaceId!: string;

  @FieldProperty({ type: 'uuid' })
  userId!: string;

  @FieldProperty(() => enumTypes.Role, { type: 'string' })
  role!: EnumValue<'Role'>;

  @FieldProperty({ type: 'datetime' })
  joinedAt: Opt<Date> = clock.now();
}

@ArgsType()
export class WorkspaceMembersArguments extends args(ListArguments, {
  workspaceId: field(ID),
}) {}

@ObjectType({ description: 'One page of members of a workspace.' })
export class WorkspaceMemberList extends ListOf(WorkspaceMember, 'WorkspaceMemberList') {}
