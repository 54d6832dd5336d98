import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { readRows } from '../../common/rows.ts';
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

const COUNT = ['count'] as const;

export async function countProducts(scope: Scope, filter: { isParent?: boolean; enriched?: boolean }): Promise<number> {
  const counts = await readRows(scope, ProductCount, { columns: COUNT, where: filter });
  return counts.reduce((sum, { count }) => sum + count, 0);
}
