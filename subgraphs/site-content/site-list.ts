import type { EntityClass } from '@mikro-orm/postgresql';
import { type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { type Bind, type Rows, readRows, type StoredCount, sumOf } from '../../platform/database/index.ts';
import { args, field } from '../../platform/fields/index.ts';
import {
  FEED_CURSOR,
  type ListOrder,
  ListSize,
  listPage,
  locatePage,
  type PageStart,
  paginate,
  readParts,
} from '../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../platform/scope/index.ts';
import { enums } from '../../schema/enums.ts';
import { ContentCount, type List, ListMeta, type ListName, RemovedRecord, readFeed } from './content/change-feed.ts';

/** The GraphQL type of a paginated list of `node`. Not named page, because sites have pages. */
export function ListOf<T extends object>(node: ClassType<T>, name: string): ClassType<List<T>> {
  @ObjectType(name)
  class ListType {
    @Field(() => [node])
    nodes!: T[];

    @ListSize(20)
    @Field(() => [RemovedRecord], {
      nullable: true,
      description: 'Records that left the list after `since`; empty for `0`, and null without `since`.',
    })
    removed?: RemovedRecord[] | null;

    @Field(() => ListMeta)
    meta!: ListMeta;
  }
  return ListType;
}

/** Pagination arguments of lists inside other records. */
export class PageArguments extends args({
  page: field(Int, { min: 1, defaultValue: 1, description: 'Starts at 1. A page past the end is empty.' }),
  perPage: field(Int, { min: 1, max: 100, defaultValue: 20, description: 'Page size.' }),
}) {}

/** Arguments of every list of site content. */
export class ListArguments extends args(PageArguments, {
  since: field(String, {
    pattern: FEED_CURSOR,
    nullable: true,
    description:
      'A `cursor` of an earlier response, or `0`: return only records that changed after it, in the order of the changes, ' +
      'and no `page`. Follow `cursor` while `hasMore` is true. Deletions are reported for 90 days; an older cursor is `UNPROCESSABLE`.',
  }),
}) {}

/** A list: its rows, and the name and parent under which its changes and its size are stored. */
export interface ListSource<T extends object> {
  name: ListName;
  entity: EntityClass<T>;
  rows: Rows<T>;
  /** Column of the parent, and its value. */
  parent: keyof T & string;
}

/** Reads one page of a list of one parent, or of the organization, or the changes of the list after `since`. */
export async function list<T extends { id: string }>(
  scope: Scope,
  source: ListSource<T>,
  parentId: string | null,
  { page, perPage, since }: ListArguments,
): Promise<List<T>> {
  const { name, entity, rows, parent } = source;
  const where = { ...rows.where, ...(parentId && { [parent]: parentId }) } as Rows<T>['where'];
  const isCounted = name === 'workspaces' && scope.workspaceId;
  const size = isCounted ? undefined : tallyOf(name, parentId, (where as { status?: string }).status);
  if (since) return readFeed(scope, { name, entity, rows: { ...rows, where }, parentId, size }, since, perPage);
  const located = await locate(scope, source, parentId, { offset: (page - 1) * perPage, size });
  const found = { ...rows, where };
  const { nodes, pagination } = located
    ? paginate(await readParts(scope, entity, found, located.ranges, perPage), { page, limit: perPage }, located.total)
    : await listPage(scope, entity, found, { page, limit: perPage }, size);
  const { total, totalPages } = pagination;
  return { nodes, meta: { page, perPage, total, totalPages } };
}

/** The lists that grow without limit, with the column and direction of their order. */
const ORDERS: Partial<Record<ListName, Pick<ListOrder, 'column' | 'isTime' | 'direction'>>> = {
  pages: { column: 'path', isTime: false, direction: 'asc' },
  items: { column: 'created_at', isTime: true, direction: 'desc' },
  posts: { column: 'created_at', isTime: true, direction: 'desc' },
  submissions: { column: 'submitted_at', isTime: true, direction: 'desc' },
};

function locate<T extends object>(
  scope: Scope,
  { name, rows }: ListSource<T>,
  listId: string | null,
  { offset, size }: { offset: number; size?: StoredCount<ContentCount> },
): Promise<PageStart | undefined> | undefined {
  const order = ORDERS[name];
  if (!order || !listId || !size) return undefined;
  const { status } = (rows.where ?? {}) as { status?: string };
  const all = name === 'submissions' ? ['received'] : enums.PublicationStatus.values;
  const classes = status === undefined ? all : [status];
  const total = (bind: Bind) => sumOf(scope, size, bind);
  return locatePage(scope, { index: `site_content.${name}_page_index`, listId, classes, total, ...order }, offset);
}

const tallyOf = (name: ListName, parentId: string | null, status?: string): StoredCount<ContentCount> => ({
  entity: ContentCount,
  sum: 'count',
  where: { list: name, ...(parentId && { parentId }), ...(status !== undefined && { status }) },
});

/**
 * Reads one page of the list of a parent, as a field of the parent. One statement reads the pages of all parents of an operation, and one
 * their sizes.
 */
export async function nestedList<T extends { id: string }>(
  scope: RequestScope,
  source: ListSource<T>,
  parentId: string,
  { page, perPage }: PageArguments,
): Promise<List<T>> {
  const { name, entity, rows, parent } = source;
  const { status } = (rows.where ?? {}) as { status?: string };
  const read = scope.batch(`${name} ${page} ${perPage} ${status}`, async (parentIds) => {
    const { schema, tableName, properties } = scope.services.orm.getMetadata(entity);
    const column = (properties as Record<string, { fieldNames: string[] }>)[parent]!.fieldNames[0]!;
    const found = await readRows(scope, entity, {
      ...rows,
      where: { ...rows.where, [parent]: parentIds } as Rows<T>['where'],
      matching: (bind) => `r.id in (
        select c.id from unnest(${bind(parentIds)}::uuid[]) as p (id) cross join lateral (
          select r.id from ${schema}.${tableName} r where r.${column} = p.id${status === undefined ? '' : ` and r.status = ${bind(status)}`}
           order by ${rows.ordering} limit ${bind(perPage)} offset ${bind((page - 1) * perPage)}) c)`,
    });
    const sizes = await readRows(scope, ContentCount, {
      columns: ['parentId', 'count'],
      where: { list: name, parentId: parentIds, ...(status !== undefined && { status }) },
    });
    const byParent = Map.groupBy(found, (row) => row[parent] as string);
    return new Map(
      parentIds.map((id) => {
        const total = sizes.reduce((sum, each) => (each.parentId === id ? sum + each.count : sum), 0);
        return [id, { nodes: byParent.get(id) ?? [], meta: { page, perPage, total, totalPages: Math.ceil(total / perPage) } }];
      }),
    );
  });
  return (await read(parentId))!;
}
