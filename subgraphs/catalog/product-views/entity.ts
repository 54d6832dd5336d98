import { GraphQLJSONObject } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { clock, column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A saved view of the list of products: its filter, columns and order under a name.' })
@Table('catalog.product_views')
export class ProductView extends columns(Owned, {
  ownerId: hidden('uuid'),
  name: column('text', 'Unique among the views of its owner, ignoring case.'),
  isShared: column('boolean', { initial: false, description: 'Whether all members of the organization see the view.' }),
  settings: column(GraphQLJSONObject, { type: 'json', description: 'Texts by name, such as the address of the list has them.' }).as<
    Record<string, string>
  >(),
  savedAt: column('datetime', { initial: clock.now }),
}) {}
