import { sumOf } from '../../../platform/database/index.ts';
import type { ListOrder } from '../../../platform/lists/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { productCounts } from './counts.ts';
import type { ProductsArguments } from './types.ts';

type Sort = ProductsArguments['sortBy'] | NonNullable<ProductsArguments['orderBy']>;

/** The orders with runs. That of `updatedAt` would change with every write. */
const COLUMNS: Partial<Record<Sort, { column: string; isTime: boolean; isNullable?: boolean }>> = {
  createdAt: { column: 'created_at', isTime: true },
  sku: { column: 'sku', isTime: false },
  name: { column: 'name', isTime: false },
  manufacturer: { column: 'manufacturer', isTime: false, isNullable: true },
  brand: { column: 'brand', isTime: false, isNullable: true },
};

const CLASSES = [
  { name: 'plain', isParent: false, enriched: false },
  { name: 'enriched', isParent: false, enriched: true },
  { name: 'parents', isParent: true, enriched: false },
  { name: 'enriched_parents', isParent: true, enriched: true },
];

/** The page index of an order of the list without search and filter. Undefined for orders that have none. */
export function orderOf(
  scope: Scope,
  sort: Sort,
  direction: 'asc' | 'desc',
  where: { isParent?: boolean; enriched?: boolean },
): ListOrder | undefined {
  const order = COLUMNS[sort];
  const isCounted = (each: (typeof CLASSES)[number]) =>
    (where.isParent ?? each.isParent) === each.isParent && (where.enriched ?? each.enriched) === each.enriched;
  return (
    order && {
      index: 'catalog.product_page_index',
      listId: scope.organizationId,
      direction,
      ...order,
      classes: CLASSES.filter(isCounted).map(({ name }) => name),
      total: (bind) => sumOf(scope, productCounts(where), bind),
    }
  );
}
