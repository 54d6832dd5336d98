import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { Directive, InputType, ObjectType } from 'type-graphql';
import { clock, Deletion, FieldProperty, OfWorkspace, Owned } from '../../../platform/database/index.ts';
import { changeOf, field, input, NAME, SLUG } from '../../../platform/fields/index.ts';
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
export class NewWorkspace extends input({
  name: field(String, { ...NAME }),
  slug: field(String, { ...SLUG, description: 'Unique within the organization.' }),
}) {}

@InputType({ description: 'Changes to a workspace. Fields that are omitted or null stay unchanged.' })
export class WorkspaceChange extends changeOf(NewWorkspace) {}

@ObjectType({ description: 'Confirms that a workspace was deleted.' })
export class DeletedWorkspace extends Deletion {}

@ObjectType({ description: 'One page of workspaces.' })
export class WorkspaceList extends ListOf(Workspace, 'WorkspaceList') {}
