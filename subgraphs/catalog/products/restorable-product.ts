import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { FieldProperty, Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A deleted product that can be restored.' })
@Entity({ schema: 'catalog', tableName: 'deleted_products' })
export class RestorableProduct extends Owned {
  @FieldProperty({ type: 'string' })
  sku!: string;

  @FieldProperty({ type: 'string' })
  name!: string;

  @FieldProperty({ type: 'string', nullable: true })
  brand!: string | null;

  @FieldProperty({ type: 'text', nullable: true })
  category!: string | null;

  @Property({ type: 'uuid', nullable: true })
  deletedById!: string | null;

  @FieldProperty({ type: 'datetime' })
  deletedAt!: Date;
}
