import { Migration } from '@mikro-orm/migrations';

export class Validation extends Migration {
  override up(): void {
    this.addSql('alter table catalog.job_items add validation_results jsonb, add overall_score numeric(5,2);');
  }
}
