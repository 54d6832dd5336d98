import { clock, columns, hidden, Table, Tenant } from '../../../platform/database/index.ts';

/** The names of the lists, as the triggers of their tables write them. */
export type ListName =
  | 'workspaces'
  | 'sites'
  | 'members'
  | 'pages'
  | 'forms'
  | 'submissions'
  | 'collections'
  | 'items'
  | 'authors'
  | 'categories'
  | 'posts';

/** The latest change of one record of a list. Triggers write it, also when the record is deleted. */
@Table('site_content.changes')
@Tenant()
export class ContentChange extends columns({
  recordId: hidden('uuid', { primary: true }),
  organizationId: hidden('uuid'),
  list: hidden('text').as<ListName>(),
  parentId: hidden('uuid'),
  /** Increases in the order of the commits of the organization. */
  revision: hidden('count'),
  deleted: hidden('boolean'),
  /** Whether readers could ever see the record. True for lists without a status. */
  wasPublished: hidden('boolean'),
  /** When the record changed. */
  at: hidden('datetime', { initial: clock.now }),
}) {}

/** The newest deletion of a list that retention has removed from its changes. */
@Table('site_content.pruned_changes')
@Tenant()
export class PrunedChanges extends columns({
  parentId: hidden('uuid', { primary: true }),
  list: hidden('text', { primary: true }).as<ListName>(),
  organizationId: hidden('uuid'),
  revision: hidden('count'),
}) {}

/** The size of a list by status. Triggers maintain it. */
@Table('site_content.tallies')
@Tenant()
export class ContentCount extends columns({
  parentId: hidden('uuid', { primary: true }),
  list: hidden('text', { primary: true }).as<ListName>(),
  status: hidden('text', { primary: true }),
  organizationId: hidden('uuid'),
  count: hidden('count'),
}) {}
