import { columns, hidden, type StoredCount, Table, Tenant } from '../../../platform/database/index.ts';

/** Product counts that triggers maintain, so that a page of a large catalog needs no `count(*)`. */
@Table('catalog.product_counts')
@Tenant()
export class ProductCount extends columns({
  organizationId: hidden('uuid', { primary: true }),
  isParent: hidden('boolean', { primary: true }),
  enriched: hidden('boolean', { primary: true }),
  archived: hidden('boolean', { primary: true }),
  count: hidden('count'),
}) {}

export const productCounts = (filter: {
  archived: boolean;
  isParent?: boolean;
  enriched?: boolean;
}): StoredCount<ProductCount> => ({
  entity: ProductCount,
  sum: 'count',
  where: filter,
});
