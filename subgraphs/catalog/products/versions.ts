import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Tally } from '../../common/rows.ts';
import { Tenant } from '../../common/tenant.ts';
import type { Product } from './entity.ts';
import type { ProductFilter } from './filter.ts';

/** Part of a number that increases with each commit that changed products of the organization. Triggers maintain it. */
@Entity({ schema: 'catalog', tableName: 'product_versions' })
@Tenant()
export class ProductVersion {
  @PrimaryKey({ type: 'uuid' })
  organizationId!: string;

  @PrimaryKey({ type: 'smallint' })
  slot!: number;

  /** Counts changes of the columns that searches and the filters by name read. */
  @Property({ type: 'bigint', runtimeType: 'number' })
  listed!: number;

  /** Counts all changes. */
  @Property({ type: 'bigint', runtimeType: 'number' })
  changed!: number;
}

const LISTED = new Set<string>(['ids', 'brand', 'category', 'parentId'] satisfies (keyof ProductFilter)[]);

/** The orders that change only with the columns of `listed`. */
const LISTED_ORDERS = new Set<string>(['createdAt', 'sku', 'name', 'brand'] satisfies (keyof Product)[]);

/** The version on which the total of a filtered list depends, and its order if there is one. */
export function versionFor(filter: ProductFilter, order?: string): Tally<ProductVersion> {
  const isListed = Object.entries(filter).every(([name, value]) => value == null || LISTED.has(name));
  const hasListedOrder = order === undefined || LISTED_ORDERS.has(order);
  return { entity: ProductVersion, sum: isListed && hasListedOrder ? 'listed' : 'changed' };
}
