import { buildIndex, OnlineMigration } from '../../common/migrations/online.ts';

/** Trigrams by organization. Without it, a search reads the entries of all organizations. */
export class TenantSearch extends OnlineMigration {
  protected readonly statements = [
    ...buildIndex(
      'catalog.products_containing',
      'catalog.products using gin (organization_id, (lower(name)) gin_trgm_ops, (lower(sku)) gin_trgm_ops)',
    ),
    'drop index concurrently if exists catalog.products_search',
  ];
}
