import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A saved view of the list of products: its filter, columns and order under a name.' })
@Entity({ schema: 'catalog', tableName: 'product_views' })
export class ProductView extends Owned {
  @Property({ type: 'uuid' })
  ownerId!: string;

  @FieldProperty({ type: 'text', description: 'Unique among the views of its owner, ignoring case.' })
  name!: string;

  @FieldProperty({ type: 'boolean', description: 'Whether all members of the organization see the view.' })
  isShared: Opt<boolean> = false;

  @FieldProperty(() => GraphQLJSONObject, { type: 'json', description: 'Texts by name, such as the address of the list has them.' })
  settings!: Record<string, string>;

  @FieldProperty({ type: 'datetime' })
  savedAt: Opt<Date> = clock.now();
}
