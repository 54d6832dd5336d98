import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { changeOf, Limited, NAME, SLUG } from '../../../platform/input/index.ts';
import { ListOf } from '../site-list.ts';
import { Workspace } from './entity.ts';

@InputType({ description: 'A workspace to create.' })
export class NewWorkspace {
  @Limited(NAME)
  @Field(() => String)
  name!: string;

  @Limited(SLUG)
  @Field(() => String, { description: 'Unique within the organization.' })
  slug!: string;
}

@InputType({ description: 'Changes to a workspace. Fields that are omitted or null stay unchanged.' })
export class WorkspaceChange extends changeOf(NewWorkspace) {}

@ObjectType({ description: 'Confirms that a workspace was deleted.' })
export class DeletedWorkspace {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean, { description: 'Always true.' })
  deleted!: boolean;
}

@ObjectType({ description: 'One page of workspaces.' })
export class WorkspaceList extends ListOf(Workspace, 'WorkspaceList') {}
