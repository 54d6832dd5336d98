import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { type StoredCount, Tenant } from '../../../platform/database/index.ts';

/** Product counts that triggers maintain, so that a page of a large catalog needs no `count(*)`. */
@Entity({ schema: 'catalog', tableName: 'product_counts' })
@Tenant()
export class ProductCount {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'boolean' })
  isParent!: boolean;

  @PrimaryKey({ type: 'boolean' })
  enriched!: boolean;

  @PrimaryKey({ type: 'boolean' })
  archived!: boolean;

  @Property({ type: 'bigint', runtimeType: 'number' })
  count!: number;
}

export const productCounts = (filter: {
  archived: boolean;
  isParent?: boolean;
  enriched?: boolean;
}): StoredCount<ProductCount> => ({
  entity: ProductCount,
  sum: 'count',
  where: filter,
});
