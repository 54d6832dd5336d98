import type { EntityClass, FilterQuery, QueryOrderMap } from '@mikro-orm/postgresql';
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { Limited } from './limits.ts';
import type { Scope } from './scope.ts';

@ObjectType({ description: 'Where a page lies in its list.' })
export class Pagination {
  @Field(() => Int)
  page!: number;

  @Field(() => Int)
  limit!: number;

  @Field(() => Int)
  total!: number;

  @Field(() => Int)
  totalPages!: number;
}

export interface Page<T> {
  nodes: T[];
  pagination: Pagination;
}

/** The GraphQL type of a page of `node`. */
export function PageOf<T extends object>(node: ClassType<T>, name: string): ClassType<Page<T>> {
  @ObjectType(name)
  class PageType {
    @Field(() => [node])
    nodes!: T[];

    @Field(() => Pagination)
    pagination!: Pagination;
  }
  return PageType;
}

/** `page` and `limit` of a list, with the list's own default and maximum. */
export function pageArguments(fallback: number, max = 100): ClassType<{ page: number; limit: number }> {
  @ArgsType()
  class PageArguments {
    @Limited({ min: 1 })
    @Field(() => Int, { defaultValue: 1, description: 'Counts from 1; a page beyond the end is empty.' })
    page!: number;

    @Limited({ min: 1, max })
    @Field(() => Int, { defaultValue: fallback, description: 'Entries a page.' })
    limit!: number;
  }
  return PageArguments;
}

export interface PageRequest {
  page: number;
  limit: number;
}

export function paginate<T>(nodes: T[], { page, limit }: PageRequest, total: number): Page<T> {
  return { nodes, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
}

interface Rows<T extends object> {
  columns: readonly (keyof T & string)[];
  where?: FilterQuery<T>;
  orderBy: QueryOrderMap<T>;
}

/**
 * One page of plain rows, never hydrated: what lists are read by. Bound to the organization of the scope.
 * @param total the size of the whole list where it is known more cheaply than by counting
 */
export async function listPage<T extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  { columns, where, orderBy }: Rows<T>,
  request: PageRequest,
  total?: Promise<number>,
): Promise<Page<T>> {
  const bound = { ...(where as object), organizationId: scope.organizationId } as FilterQuery<T>;
  const rows = scope.em
    .createQueryBuilder(entity, 'r')
    .select(columns as never)
    .where(bound as never)
    .orderBy(orderBy as never)
    .limit(request.limit)
    .offset((request.page - 1) * request.limit)
    .execute('all') as Promise<T[]>;
  const [nodes, count] = await Promise.all([rows, total ?? scope.em.count(entity, bound as never)]);
  return paginate(nodes, request, count);
}
