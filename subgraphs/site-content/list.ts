import type { EntityClass } from '@mikro-orm/postgresql';
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { Limited } from '../common/limits.ts';
import { listPage } from '../common/page.ts';
import type { Rows } from '../common/rows.ts';
import type { Scope } from '../common/scope.ts';

@ObjectType({ description: 'The position of a page within its list.' })
class ListMeta {
  @Field(() => Int, { description: 'Starts at 1.' })
  page!: number;

  @Field(() => Int, { description: 'Page size.' })
  perPage!: number;

  @Field(() => Int, { description: 'Size of the whole list.' })
  total!: number;

  @Field(() => Int)
  totalPages!: number;
}

interface List<T> {
  nodes: T[];
  meta: ListMeta;
}

/** The GraphQL type of a paginated list of `node`. Not named page, because sites have pages. */
export function ListOf<T extends object>(node: ClassType<T>, name: string): ClassType<List<T>> {
  @ObjectType(name)
  class ListType {
    @Field(() => [node])
    nodes!: T[];

    @Field(() => ListMeta)
    meta!: ListMeta;
  }
  return ListType;
}

/** Pagination arguments of every list of site content. */
@ArgsType()
export class ListArguments {
  @Limited({ min: 1 })
  @Field(() => Int, { defaultValue: 1, description: 'Starts at 1. A page past the end is empty.' })
  page!: number;

  @Limited({ min: 1, max: 100 })
  @Field(() => Int, { defaultValue: 20, description: 'Page size.' })
  perPage!: number;
}

/** Reads one page of plain rows. */
export async function list<T extends object>(
  scope: Scope,
  entity: EntityClass<T>,
  rows: Rows<T>,
  { page, perPage }: ListArguments,
): Promise<List<T>> {
  const { nodes, pagination } = await listPage(scope, entity, rows, { page, limit: perPage });
  const { total, totalPages } = pagination;
  return { nodes, meta: { page, perPage, total, totalPages } };
}
