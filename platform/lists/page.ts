import 'reflect-metadata';
import type { EntityClass } from '@mikro-orm/postgresql';
import { ArgsType, type ClassType, Directive, Field, Int, ObjectType } from 'type-graphql';
import { type Bind, type Rows, readChildren, readRows, readSlice, type StoredCount } from '../database/index.ts';
import { field, Limited, output } from '../fields/index.ts';
import type { RequestScope, Scope } from '../scope/index.ts';

// Several subgraphs have pages.
@Directive('@shareable')
@ObjectType({ description: 'The position of a page within its list.' })
@Directive('@shareable')
export class Pagination extends output({
  page: field(Int, 'Starts at 1.'),
  limit: field(Int, 'Page size.'),
  total: field(Int, 'Size of the whole list.'),
  totalPages: field(Int),
}) {}

export interface ListPage<T> {
  nodes: T[];
  pagination: Pagination;
}

/** The GraphQL type of a page of `node`. */
export function PageOf<T extends object>(node: ClassType<T>, name: string): ClassType<ListPage<T>> {
  @ObjectType(name)
  class PageType {
    @Field(() => [node])
    nodes!: T[];

    @Field(() => Pagination)
    pagination!: Pagination;
  }
  return PageType;
}

/** The arguments `page` and `limit` of a list, with its default and maximum of `limit`. */
export function pageArguments(fallback: number, max = 100): ClassType<{ page: number; limit: number }> {
  @ArgsType()
  class PageArguments {
    @Limited({ min: 1 })
    @Field(() => Int, { defaultValue: 1, description: 'Starts at 1. A page past the end is empty.' })
    page!: number;

    @Limited({ min: 1, max })
    @Field(() => Int, { defaultValue: fallback, description: 'Page size.' })
    limit!: number;
  }
  return PageArguments;
}

export interface PageRequest {
  page: number;
  limit: number;
}

export function paginate<T>(nodes: T[], { page, limit }: PageRequest, total: number): ListPage<T> {
  return { nodes, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
}

/**
 * Read one page of rows of the organization of the scope.
 * @param size total of the list, or its stored count; by default the rows are counted
 */
export async function listPage<T extends object, C extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  rows: Rows<T>,
  request: PageRequest,
  size?: number | StoredCount<C>,
): Promise<ListPage<T>> {
  const { page, limit } = request;
  const slice = { limit, offset: (page - 1) * limit };
  if (typeof size === 'number') return paginate(await readRows(scope, entity, rows, slice), request, size);
  const { rows: nodes, total } = await readSlice(scope, entity, rows, slice, size);
  return paginate(nodes, request, total);
}

/** The key of a batch of pages: the column that names the parent, and the arguments that `rows` was built from. */
interface ChildList<T> {
  of: keyof T & string;
  filter?: object;
  /** Total of the list of this parent; by default the rows are counted. */
  size?: number;
}

/** One page of the rows that belong to a parent. Reads all parents of one tick with the same arguments in one statement. */
export async function childPage<T extends object>(
  scope: RequestScope,
  parentId: string,
  entity: EntityClass<T>,
  { of, filter = {}, size }: ChildList<T>,
  rows: Rows<T>,
  request: PageRequest,
): Promise<ListPage<T>> {
  const slice = { limit: request.limit, offset: (request.page - 1) * request.limit };
  const name = `${entity.name} ${of} ${JSON.stringify([filter, slice, rows.columns, size === undefined])}`;
  const read = scope.batch(name, (ids) => readChildren(scope, entity, rows, { of, ids, slice, isCounted: size === undefined }));
  const { rows: nodes, total } = (await read(parentId)) ?? { rows: [], total: 0 };
  return paginate(nodes, request, size ?? total);
}

/**
 * A pattern of texts that contain the search, for comparison with `lower(column)`. PostgreSQL lowers it, because JavaScript lowers some
 * letters (İ, Σ) differently.
 */
export const containing = (search: string, bind: Bind): string => `lower(${bind(`%${search.replace(/[\\%_]/g, '\\$&')}%`)}::text)`;
