import { Migration } from '@mikro-orm/migrations';

export class BucketsAndImportSearch extends Migration {
  override up(): void {
    this.addSql(`
      alter table catalog.files add column in_bucket boolean not null default false;
      drop index catalog.files_of_organization;
      create index files_abandoned on catalog.files (created_at) where not ready;

      -- Bucket objects of deleted files. A sweep deletes them later.
      create table catalog.removed_objects (key text primary key, due_at timestamptz not null default now());
      create index removed_objects_due on catalog.removed_objects (due_at);
      create function catalog.note_removed_object() returns trigger language plpgsql as $$
        begin
          insert into catalog.removed_objects (key) values (old.organization_id || '/' || old.id) on conflict do nothing;
          perform pg_notify('removed_objects', '');
          return null;
        end $$;
      create trigger file_removed after delete on catalog.files for each row when (old.in_bucket) execute function catalog.note_removed_object();

      create extension if not exists btree_gin;
      create index import_items_search on catalog.import_items
        using gin (job_id, (lower(name)) gin_trgm_ops, (lower(sku)) gin_trgm_ops);
    `);
  }
}
