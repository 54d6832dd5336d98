import { useMemo } from 'react';
import { type ProductListQueryVariables } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { useUrlState } from '../../parts/url-state.ts';

export const PRODUCTS = graphql(`
  query ProductList(
    $page: Int!, $limit: Int!, $search: String!, $orderBy: ProductOrder!, $sortOrder: SortOrder!
    $filter: ProductFilter, $parentFilter: ParentFilter!, $enrichedFilter: EnrichedFilter!
  ) {
    products(
      page: $page, limit: $limit, search: $search, orderBy: $orderBy, sortOrder: $sortOrder
      filter: $filter, parentFilter: $parentFilter, enrichedFilter: $enrichedFilter
    ) {
      nodes { id name sku brand category isParent enriched archived updatedAt completeness { percent } }
      pagination { total }
    }
  }
`);
/** The filters without the page. */
export type ListVariables = Omit<ProductListQueryVariables, 'page' | 'limit'>;
const DEFAULTS = {
  search: '',
  by: 'updatedAt',
  order: 'desc',
  enriched: 'all',
  family: 'all',
  brand: '',
  category: '',
  missing: '',
  below: '',
  incomplete: '',
  archived: '',
};
const CHOICES = {
  archived: ['', 'only'],
  by: ['name', 'sku', 'brand', 'updatedAt'],
  order: ['asc', 'desc'],
  enriched: ['all', 'enriched', 'not-enriched'],
  family: ['all', 'parent', 'non-parent'],
};
const percentageOf = (text: string) => (text !== '' && Number(text) >= 0 && Number(text) <= 100 ? Number(text) : undefined);

/** The filters of the list, which are in the address. */
export function useFilters() {
  const [state, change] = useUrlState(DEFAULTS, CHOICES);
  const { search, by, order, enriched, family, brand, category, missing, below, incomplete, archived } = state;
  const variables = useMemo(
    () =>
      ({
        search,
        orderBy: by,
        sortOrder: order,
        enrichedFilter: enriched,
        parentFilter: family,
        filter: {
          brand: brand || undefined,
          category: category || undefined,
          missingAttribute: missing || undefined,
          confidenceBelow: percentageOf(below),
          completenessBelow: percentageOf(incomplete),
          archived: archived === 'only' || undefined,
        },
      }) as ListVariables,
    [search, by, order, enriched, family, brand, category, missing, below, incomplete, archived],
  );
  const active = [enriched !== 'all', family !== 'all', brand, category, missing, below, incomplete, archived].filter(
    Boolean,
  ).length;
  const clear = () => {
    const { search: _, by: _by, order: _order, ...filters } = DEFAULTS;
    change(filters);
  };
  return { state, change, clear, variables, active };
}
