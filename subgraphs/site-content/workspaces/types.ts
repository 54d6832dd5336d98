import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { Limited, SLUG } from '../../common/limits.ts';
import { ListOf } from '../list.ts';
import { Workspace } from './entity.ts';

@InputType({ description: 'What may change on a workspace. A field that is not sent, or null, stays as it is.' })
export class WorkspaceChange {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { nullable: true })
  name?: string | null;

  @Limited(SLUG)
  @Field(() => String, { nullable: true, description: 'Unique within the organization.' })
  slug?: string | null;
}

@InputType({ description: 'A workspace to create.' })
export class NewWorkspace {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String)
  name!: string;

  @Limited(SLUG)
  @Field(() => String, { description: 'Unique within the organization.' })
  slug!: string;
}

@ObjectType()
export class DeletedWorkspace {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean)
  deleted!: boolean;
}

@ObjectType()
export class WorkspaceList extends ListOf(Workspace, 'WorkspaceList') {}
