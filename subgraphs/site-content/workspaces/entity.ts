import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, Field, InputType, ObjectType } from 'type-graphql';
import { clock, Deletion, FieldProperty, OfWorkspace, Owned } from '../../../platform/database/index.ts';
import { changeOf, Limited, NAME, SLUG } from '../../../platform/input/index.ts';
import { ListOf } from '../site-list.ts';

@ObjectType({ description: 'A group of sites within an organization.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'site_content', tableName: 'workspaces' })
@OfWorkspace('id')
export class Workspace extends Owned {
  @FieldProperty({ type: 'string', length: 255 })
  name!: string;

  @FieldProperty({ type: 'string', length: 64, description: 'Unique within the organization.' })
  slug!: string;

  @FieldProperty({ type: 'integer', description: 'Increases with every edit.' })
  version: Opt<number> = 1;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

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
export class DeletedWorkspace extends Deletion {}

@ObjectType({ description: 'One page of workspaces.' })
export class WorkspaceList extends ListOf(Workspace, 'WorkspaceList') {}
