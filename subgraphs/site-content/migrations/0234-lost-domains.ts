import { Migration } from '@mikro-orm/migrations';

/** When a site lost its domain to another one that proved the ownership. */
export class LostDomains extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table site_content.domains add column lost_at timestamptz;
    `);
  }
}
