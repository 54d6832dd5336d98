import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Scope } from '../../common/scope.ts';
import { Tenant } from '../../common/tenant.ts';

/** How many products an organization has, kept by triggers so that a page of a large catalog costs no counting. */
@Entity({ schema: 'catalog', tableName: 'product_counts' })
@Tenant()
export class ProductCount {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'boolean' })
  isParent!: boolean;

  @PrimaryKey({ type: 'boolean' })
  enriched!: boolean;

  @Property({ type: 'bigint', runtimeType: 'number' })
  count!: number;
}

export async function countProducts(
  { em, organizationId }: Scope,
  filter: { isParent?: boolean; enriched?: boolean },
): Promise<number> {
  const counts = await em
    .createQueryBuilder(ProductCount, 'c')
    .select('count')
    .where({ organizationId, ...filter })
    .execute<{ count: number | string }[]>('all');
  return counts.reduce((sum, { count }) => sum + Number(count), 0);
}
