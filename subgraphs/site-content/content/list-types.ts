import { Int, ObjectType } from 'type-graphql';
import { Deletion } from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';

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
