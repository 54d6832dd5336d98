import { ObjectType } from 'type-graphql';
import { column, columns, hidden, Owned, Table } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A deleted product that can be restored.' })
@Table('catalog.deleted_products')
export class RestorableProduct extends columns(Owned, {
  sku: column('string'),
  name: column('string'),
  brand: column('string', { nullable: true }),
  category: column('text', { nullable: true }),
  deletedById: hidden('uuid', { nullable: true }),
  deletedAt: column('datetime'),
}) {}
