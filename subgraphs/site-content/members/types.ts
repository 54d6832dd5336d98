import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import { ListArguments, ListOf } from '../site-list.ts';
import { WorkspaceMember } from './entity.ts';

@ArgsType()
export class WorkspaceMembersArguments extends ListArguments {
  @Field(() => ID)
  workspaceId!: string;
}

@ObjectType({ description: 'One page of members of a workspace.' })
export class WorkspaceMemberList extends ListOf(WorkspaceMember, 'WorkspaceMemberList') {}
