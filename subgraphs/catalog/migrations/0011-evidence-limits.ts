import { Migration } from '@mikro-orm/migrations';

export class EvidenceLimits extends Migration {
  override up(): void {
    this.addSql(`
      alter table catalog.source_texts add column used_at timestamptz not null default now(),
        add column bytes integer not null generated always as (octet_length(text)) stored;
      create index source_texts_age on catalog.source_texts (used_at);
      create index source_texts_size on catalog.source_texts (organization_id, used_at desc, hash) include (bytes);
      create index item_sources_text on catalog.item_sources (organization_id, hash);
    `);
  }
}
