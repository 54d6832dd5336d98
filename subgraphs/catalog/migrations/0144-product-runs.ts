import { Migration } from '@mikro-orm/migrations';
import { createRuns, type RunsDefinition } from '../../../platform/lists/index.ts';

export const PRODUCT_RUNS: RunsDefinition = {
  runs: 'catalog.product_runs',
  table: 'catalog.products',
  list: 'organization_id',
  parent: 'identity.organizations',
  sorts: { created_at: { time: true }, sku: {}, name: {}, manufacturer: { nullable: true }, brand: { nullable: true } },
  classes: {
    plain: '(not c.is_parent and not c.enriched)',
    enriched: '(not c.is_parent and c.enriched)',
    parents: '(c.is_parent and not c.enriched)',
    enriched_parents: '(c.is_parent and c.enriched)',
  },
  triggers: 'arrange',
};

/** Runs of each order of the list of products. Their triggers come before those of the counts, whose rows also serialize writers. */
export class ProductRuns extends Migration {
  override up(): void {
    this.addSql(createRuns(PRODUCT_RUNS));
  }
}
