import { Migration } from '@mikro-orm/migrations';

/** The robots.txt of the site of a source, which also applies to pages that others redirect to, and the processor time of its checks. */
export class RulesOfSites extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table agent.sources add column crawl_robots text, add column crawl_check_ms integer not null default 0;
    `);
  }
}
