import { Field, Int, ObjectType } from 'type-graphql';
import { Deletion } from '../../../platform/database/index.ts';

@ObjectType({ description: 'The position of a page within its list.' })
export class ListMeta {
  @Field(() => Int, { description: 'Starts at 1. Always 1 with `since`.' })
  page!: number;

  @Field(() => Int, { description: 'Page size.' })
  perPage!: number;

  @Field(() => Int, { description: 'Size of the whole list.' })
  total!: number;

  @Field(() => Int)
  totalPages!: number;

  @Field(() => String, { nullable: true, description: 'The next value of `since`; null without `since`.' })
  cursor?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether more changes follow; null without `since`.' })
  hasMore?: boolean | null;
}

@ObjectType({ description: 'A record that is no longer in the list: deleted, or no longer of the requested status.' })
export class RemovedRecord extends Deletion {}

/** One page of a list, or its changes. */
export interface List<T> {
  nodes: T[];
  removed?: RemovedRecord[] | null;
  meta: ListMeta;
}
