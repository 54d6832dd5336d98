import { useMemo } from 'react';
import type { ProductListQueryVariables } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import { useUrlState } from '../../parts/url-state.ts';

export const PRODUCTS = graphql(`
  query ProductList(
    $page: Int!, $limit: Int!, $orderBy: ProductOrder!, $sortOrder: SortOrder!
    $filter: ProductFilter, $parentFilter: ParentFilter!, $enrichedFilter: EnrichedFilter!, $slugs: [String!]!
  ) {
    products(
      page: $page, limit: $limit, orderBy: $orderBy, sortOrder: $sortOrder
      filter: $filter, parentFilter: $parentFilter, enrichedFilter: $enrichedFilter
    ) {
      nodes {
        id name sku brand category manufacturer mpn uom externalId isParent enriched archived createdAt updatedAt
        completeness { percent }
        listedValues(slugs: $slugs) { values cut }
      }
      pagination { total }
    }
  }
`);
/** The filters without the page and the columns. */
export type ListVariables = Omit<ProductListQueryVariables, 'page' | 'limit' | 'slugs'>;
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
  /** JSON of the attribute values. */
  values: '',
  columns: '',
  /** Whether values are edited in place. Saved views leave it out. */
  mode: '',
};
const CHOICES = {
  archived: ['', 'only'],
  mode: ['', 'edit'],
  by: ['name', 'sku', 'brand', 'completeness', 'updatedAt'],
  order: ['asc', 'desc'],
  enriched: ['all', 'enriched', 'not-enriched'],
  family: ['all', 'parent', 'non-parent'],
};
const percentageOf = (text: string) => (text !== '' && Number(text) >= 0 && Number(text) <= 100 ? Number(text) : undefined);

export interface ValueFilter {
  slug: string;
  value: string;
}

/** The attribute values of the address, also incomplete ones. Anybody may write an address. */
export function valuesOf(text: string): ValueFilter[] {
  try {
    const parsed: unknown = JSON.parse(text || '[]');
    const isFilter = (each: unknown): each is ValueFilter =>
      typeof each === 'object' &&
      each !== null &&
      typeof (each as ValueFilter).slug === 'string' &&
      typeof (each as ValueFilter).value === 'string';
    return Array.isArray(parsed) ? parsed.filter(isFilter).slice(0, 20) : [];
  } catch {
    return [];
  }
}

function completeValues(text: string): ValueFilter[] | undefined {
  const complete = valuesOf(text)
    .filter(({ slug, value }) => slug && value)
    .map(({ slug, value }) => ({ slug, value }));
  return complete.length > 0 ? complete : undefined;
}

/** The filters of the list, which are in the address. */
export function useFilters() {
  const [state, change] = useUrlState(DEFAULTS, CHOICES);
  const { search, by, order, enriched, family, brand, category, missing, below, incomplete, archived, values } = state;
  const variables = useMemo(
    () =>
      ({
        orderBy: by,
        sortOrder: order,
        enrichedFilter: enriched,
        parentFilter: family,
        filter: {
          words: search.trim() || undefined,
          brand: brand || undefined,
          categoryBelow: category.trim() || undefined,
          attributes: completeValues(values),
          missingAttribute: missing || undefined,
          confidenceBelow: percentageOf(below),
          completenessBelow: percentageOf(incomplete),
          archived: archived === 'only' || undefined,
        },
      }) as ListVariables,
    [search, by, order, enriched, family, brand, category, missing, below, incomplete, archived, values],
  );
  const active = [
    enriched !== 'all',
    family !== 'all',
    brand,
    category,
    missing,
    below,
    incomplete,
    archived,
    completeValues(values),
  ].filter(Boolean).length;
  const clear = () => {
    const { search: _, by: _by, order: _order, columns: _columns, mode: _mode, ...filters } = DEFAULTS;
    change(filters);
  };
  /** The filters, columns and order that a saved view stores, without the defaults. */
  const settings = Object.fromEntries(
    Object.entries(state).filter(([key, text]) => key !== 'mode' && text !== DEFAULTS[key as keyof typeof DEFAULTS]),
  );
  const apply = (stored: Readonly<Record<string, unknown>>) => {
    const known = Object.entries(stored).filter(([key, text]) => Object.hasOwn(DEFAULTS, key) && typeof text === 'string');
    change({ ...DEFAULTS, ...Object.fromEntries(known), mode: state.mode });
  };
  return { state, change, clear, variables, active, settings, apply };
}
