import { Migration } from '@mikro-orm/migrations';

/** The queue of the sources that crawl a host, and when the crawl of a source began. */
export class CrawlTurns extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      alter table agent.sources add column crawl_begun_at timestamptz;
      create table agent.crawl_turns (
        source_id uuid primary key references agent.sources on delete cascade deferrable initially deferred,
        organization_id uuid not null, host text not null, turn_at timestamptz not null, wanted_until timestamptz not null
      );
      create index crawl_turns_by_host on agent.crawl_turns (host);
    `);
  }
}
