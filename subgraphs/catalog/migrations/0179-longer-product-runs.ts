import { Migration } from '@mikro-orm/migrations';
import { replaceRunFunctions } from '../../../platform/lists/index.ts';
import { PRODUCT_RUNS } from './0144-product-runs.ts';

/** Runs of 1,000 to 2,000 products instead of half as many. Shorter runs stay until they grow. */
export class LongerProductRuns extends Migration {
  override up(): void {
    this.addSql(replaceRunFunctions(PRODUCT_RUNS));
  }
}
