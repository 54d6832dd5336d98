import { Migration } from '@mikro-orm/migrations';

/** Products that were deleted while their job was created were counted, but have no item. */
export class JobTotals extends Migration {
  override up(): void {
    this.addSql(`
      update catalog.jobs set total_count = processed_count
       where status in ('completed', 'completed_with_errors') and processed_count < total_count;
    `);
  }
}
