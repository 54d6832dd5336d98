import type { EntityClass } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { Int, ObjectType } from 'type-graphql';
import {
  clock,
  columns,
  countRows,
  Deletion,
  deleteOld,
  hidden,
  query,
  type Rows,
  readRows,
  type StoredCount,
  sql,
  Table,
  Tenant,
} from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import { readFeedCursor, writeFeedCursor } from '../../../platform/lists/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';

@ObjectType({ description: 'The position of a page within its list.' })
export class ListMeta extends output({
  page: field(Int, 'Starts at 1. Always 1 with `since`.'),
  perPage: field(Int, 'Page size.'),
  total: field(Int, 'Size of the whole list.'),
  totalPages: field(Int),
  cursor: field(String, { optional: true, description: 'The next value of `since`; null without `since`.' }),
  hasMore: field(Boolean, { optional: true, description: 'Whether more changes follow; null without `since`.' }),
}) {}

@ObjectType({ description: 'A record that is no longer in the list: deleted, or no longer of the requested status.' })
export class RemovedRecord extends Deletion {}

/** One page of a list, or its changes. */
export interface List<T> {
  nodes: T[];
  removed?: RemovedRecord[] | null;
  meta: ListMeta;
}

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

interface FeedSource<T extends object> {
  name: ListName;
  entity: EntityClass<T>;
  rows: Rows<T>;
  /** Null for all records of the organization. */
  parentId: string | null;
  size?: StoredCount<ContentCount>;
}

/**
 * Reads the changes of a list after a revision, oldest first. Revisions become visible in their order, so a change is never skipped. The
 * records are read after the changes and may be newer; the newer change then follows on a later page. Throws `UNPROCESSABLE` if deletions
 * after the revision were forgotten, and `INVALID_INPUT` for a revision that does not exist yet.
 */
export async function readFeed<T extends { id: string }>(
  scope: Scope,
  { name, entity, rows, parentId, size }: FeedSource<T>,
  since: string,
  perPage: number,
): Promise<List<T>> {
  const cursor = readFeedCursor(since);
  const hasRead = cursor.last > 0;
  // Before the changes, so that every later deletion is newer.
  const begun = hasRead ? cursor.begun : await newestOf(scope, name, parentId);
  const changes = await readRows(
    scope,
    ContentChange,
    {
      columns: ['recordId', 'revision', 'deleted', 'wasPublished'],
      where: changesOf(scope, name, parentId),
      matching: (bind) => `r.revision > ${bind(cursor.last)}`,
      ordering: 'r.revision',
    },
    { limit: perPage + 1, offset: 0 },
  );
  if (hasRead) await requireCursor(scope, { name, parentId }, begun, changes.at(-1)?.revision ?? 0);
  const page = changes.slice(0, perPage);
  const ids = page.filter(({ deleted }) => !deleted).map(({ recordId }) => recordId);
  const where = { ...rows.where, id: ids } as unknown as Rows<T>['where'];
  const found = new Map(
    ids.length === 0 ? [] : (await readRows(scope, entity, { ...rows, where })).map((row) => [row.id, row] as const),
  );
  const total = size ? await sumOf(scope, size) : await countRows(scope, entity, rows);
  // A reader without a cursor has no records to remove, and records that were never published have never been in the list.
  const onlyPublished = (where as { status?: string }).status === 'published';
  const hasMore = changes.length > perPage;
  return {
    nodes: page.flatMap(({ recordId }) => found.get(recordId) ?? []),
    removed: page
      .filter(({ recordId, wasPublished }) => hasRead && !found.has(recordId) && (wasPublished || !onlyPublished))
      .map(({ recordId: id }) => ({ id, deleted: true })),
    meta: {
      page: 1,
      perPage,
      total,
      totalPages: Math.ceil(total / perPage),
      cursor: writeFeedCursor({ last: page.at(-1)?.revision ?? cursor.last, begun }, hasMore),
      hasMore,
    },
  };
}

/** The list of workspaces of a key that is bound to one contains only this workspace. */
const changesOf = ({ workspaceId }: Scope, list: ListName, parentId: string | null): Rows<ContentChange>['where'] => ({
  list,
  ...(parentId && { parentId }),
  ...(list === 'workspaces' && workspaceId && { recordId: workspaceId }),
});

async function sumOf(scope: Scope, { entity, where }: StoredCount<ContentCount>): Promise<number> {
  const sizes = await readRows(scope, entity, { columns: ['count'], where });
  return sizes.reduce((sum, { count }) => sum + count, 0);
}

const NEWEST = { columns: ['revision'], ordering: 'r.revision desc' } as const;

/** The newest revision of a list, also if it was forgotten. */
async function newestOf(scope: Scope, list: ListName, parentId: string | null): Promise<number> {
  const rows = { ...NEWEST, where: changesOf(scope, list, parentId) };
  const [newest] = await readRows(scope, ContentChange, rows, { limit: 1, offset: 0 });
  return Math.max(newest?.revision ?? 0, await forgottenOf(scope, list, parentId));
}

/** The newest revision of a list that was forgotten; 0 without one. */
async function forgottenOf(scope: Scope, list: ListName, parentId: string | null): Promise<number> {
  const rows = { ...NEWEST, where: { list, ...(parentId && { parentId }) } };
  const [forgotten] = await readRows(scope, PrunedChanges, rows, { limit: 1, offset: 0 });
  return forgotten?.revision ?? 0;
}

/**
 * Read the mark after the changes, so that a concurrent sweep cannot hide a deletion.
 * @param begun the revision up to which the reader needs no deletions
 * @param newest a revision that exists
 */
async function requireCursor(
  scope: Scope,
  { name, parentId }: Pick<FeedSource<object>, 'name' | 'parentId'>,
  begun: number,
  newest: number,
): Promise<void> {
  if ((await forgottenOf(scope, name, parentId)) > begun)
    throw fail('UNPROCESSABLE', 'since is older than the retained changes. Read the list again from since=0.');
  if (begun <= newest) return;
  const [row] = await query(scope.em, sql<{ last: string }>`select last_value as last from site_content.revisions`);
  if (begun > Number(row!.last)) throw fail('INVALID_INPUT', 'since must be a cursor of an earlier response');
}

/** Days for which the lists report a deletion. */
const DAYS = 90;

/** Deletes and marks in one statement, so that a reader finds each deletion in the feed or in the mark. */
const EXPIRED = `
  with expired as (
    delete from site_content.changes where record_id in (
      select record_id from site_content.changes where deleted and at < now() - interval '1 day' * $1 order by at limit $2 for update skip locked)
    returning organization_id, list, parent_id, revision),
  marked as (
    insert into site_content.pruned_changes as p (organization_id, list, parent_id, revision)
    select organization_id, list, parent_id, max(revision) from expired group by 1, 2, 3 order by 3, 2
    on conflict (parent_id, list) do update set revision = greatest(p.revision, excluded.revision))
  select from expired`;

/** Forget old deletions of content, and return their number. */
export const pruneChanges = (pool: Pool, days = DAYS): Promise<number> => deleteOld(pool, EXPIRED, days);
