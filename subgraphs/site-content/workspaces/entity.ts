import { Directive, InputType, ObjectType } from 'type-graphql';
import { clock, column, columns, Deletion, OfWorkspace, Owned, Table } from '../../../platform/database/index.ts';
import { changeOf, field, input, NAME, SLUG } from '../../../platform/fields/index.ts';
import { ListOf } from '../site-list.ts';

@ObjectType({ description: 'A group of sites within an organization.' })
@Directive('@key(fields: "id")')
@Table('site_content.workspaces')
@OfWorkspace('id')
export class Workspace extends columns(Owned, {
  name: column('string', { length: 255 }),
  slug: column('string', { length: 64, description: 'Unique within the organization.' }),
  version: column('integer', { initial: 1, description: 'Increases with every edit.' }),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

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
