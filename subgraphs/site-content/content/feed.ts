import type { EntityClass } from '@mikro-orm/postgresql';
import { type Rows, readRows, type Tally } from '../../common/rows.ts';
import type { Scope } from '../../common/scope.ts';
import { ContentChange, type ContentTally, type ListName } from './change-entity.ts';
import type { List } from './list-types.ts';

interface FeedSource<T extends object> {
  name: ListName;
  entity: EntityClass<T>;
  rows: Rows<T>;
  /** Null for all records of the organization. */
  parentId: string | null;
  size: Tally<ContentTally>;
}

/**
 * Reads the changes of a list after a revision, oldest first. Revisions become visible in their order, so a change is never skipped. The
 * records are read after the changes and may be newer; the newer change then follows on a later page.
 */
export async function readFeed<T extends { id: string }>(
  scope: Scope,
  { name, entity, rows, parentId, size }: FeedSource<T>,
  since: string,
  perPage: number,
): Promise<List<T>> {
  const changes = await readRows(
    scope,
    ContentChange,
    {
      columns: ['recordId', 'revision', 'deleted', 'wasPublished'],
      where: { list: name, ...(parentId && { parentId }) },
      matching: (bind) => `r.revision > ${bind(Number(since))}`,
      ordering: 'r.revision',
    },
    { limit: perPage + 1, offset: 0 },
  );
  const page = changes.slice(0, perPage);
  const ids = page.filter(({ deleted }) => !deleted).map(({ recordId }) => recordId);
  const where = { ...rows.where, id: ids } as unknown as Rows<T>['where'];
  const found = new Map(
    ids.length === 0 ? [] : (await readRows(scope, entity, { ...rows, where })).map((row) => [row.id, row] as const),
  );
  const sizes = await readRows(scope, size.entity, { columns: ['count'], where: size.where });
  const total = sizes.reduce((sum, { count }) => sum + count, 0);
  // A reader without a cursor has no records to remove, and records that were never published have never been in the list.
  const hasRead = Number(since) > 0;
  const onlyPublished = (where as { status?: string }).status === 'published';
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
      cursor: page.length === 0 ? since : String(page.at(-1)!.revision),
      hasMore: changes.length > perPage,
    },
  };
}
