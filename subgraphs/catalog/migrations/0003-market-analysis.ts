import { Migration } from '@mikro-orm/migrations';

export class MarketAnalysis extends Migration {
  override up(): void {
    this.addSql(`alter table catalog.job_items add results jsonb not null default '[]';`);
  }
}
