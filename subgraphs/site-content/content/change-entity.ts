import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { clock, Tenant } from '../../../platform/database/index.ts';

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
@Entity({ schema: 'site_content', tableName: 'changes' })
@Tenant()
export class ContentChange {
  @PrimaryKey({ type: 'uuid' })
  recordId!: string;

  @Property({ type: 'uuid' })
  organizationId!: string;

  @Property({ type: 'text' })
  list!: ListName;

  @Property({ type: 'uuid' })
  parentId!: string;

  /** Increases in the order of the commits of the organization. */
  @Property({ type: 'bigint', runtimeType: 'number' })
  revision!: number;

  @Property({ type: 'boolean' })
  deleted!: boolean;

  /** Whether readers could ever see the record. True for lists without a status. */
  @Property({ type: 'boolean' })
  wasPublished!: boolean;

  /** When the record changed. */
  @Property({ type: 'datetime' })
  at: Opt<Date> = clock.now();
}

/** The newest deletion of a list that retention has removed from its changes. */
@Entity({ schema: 'site_content', tableName: 'pruned_changes' })
@Tenant()
export class PrunedChanges {
  @PrimaryKey({ type: 'uuid' })
  parentId!: string;

  @PrimaryKey({ type: 'text' })
  list!: ListName;

  @Property({ type: 'uuid' })
  organizationId!: string;

  @Property({ type: 'bigint', runtimeType: 'number' })
  revision!: number;
}

/** The size of a list by status. Triggers maintain it. */
@Entity({ schema: 'site_content', tableName: 'tallies' })
@Tenant()
export class ContentCount {
  @PrimaryKey({ type: 'uuid' })
  parentId!: string;

  @PrimaryKey({ type: 'text' })
  list!: ListName;

  @PrimaryKey({ type: 'text' })
  status!: string;

  @Property({ type: 'uuid' })
  organizationId!: string;

  @Property({ type: 'bigint', runtimeType: 'number' })
  count!: number;
}
