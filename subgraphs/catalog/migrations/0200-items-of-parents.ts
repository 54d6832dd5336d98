import { Migration } from '@mikro-orm/migrations';

/** An item remembers what it was charged for, so that a later attempt does the same work. */
export class ItemsOfParents extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table catalog.job_items add column as_parent boolean;
    `);
  }
}
