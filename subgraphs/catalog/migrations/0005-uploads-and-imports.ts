import { Migration } from '@mikro-orm/migrations';

export class UploadsAndImports extends Migration {
  override up(): void {
    this.addSql(`
      create table catalog.files (
        id uuid primary key default gen_random_uuid(),
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        name varchar(255) not null, mime text not null, bytes bigint not null default 0, ready boolean not null default false,
        created_by_id uuid not null, created_at timestamptz not null default now()
      );
      create index files_of_organization on catalog.files (organization_id, created_at) where not ready;
      create index files_ready on catalog.files (organization_id, id);
      create table catalog.file_chunks (
        file_id uuid not null references catalog.files on delete cascade deferrable initially deferred, place integer not null,
        bytes bytea not null, primary key (file_id, place)
      );
      alter table catalog.file_chunks alter bytes set storage external;
      -- The content of a file in pages that fit a model request.
      create table catalog.file_pages (
        file_id uuid not null references catalog.files on delete cascade deferrable initially deferred, place integer not null,
        content json not null, primary key (file_id, place)
      );

      alter table catalog.jobs add uploaded_file_ids uuid[], add prompt text, add auto_enrich boolean, add enrichment_config jsonb,
        add total_files integer, add total_extracted integer;
      alter table catalog.job_items add file_id uuid, add file_page integer;

      create table catalog.import_items (
        id uuid primary key default gen_random_uuid(), organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        job_id uuid not null references catalog.jobs on delete cascade deferrable initially deferred,
        parent_item_id uuid references catalog.import_items on delete cascade deferrable initially deferred,
        type text not null, status text not null default 'pending', error_message text, match_key text not null,
        name text not null, sku text not null, data jsonb not null, child_count integer not null default 0, product_id uuid,
        created_at timestamptz not null default now(), unique (job_id, match_key)
      );
      create index import_items_by_name on catalog.import_items (job_id, lower(name), id);
      create index import_items_by_type on catalog.import_items (job_id, type, id);
      create index import_items_of_family on catalog.import_items (parent_item_id) where parent_item_id is not null;
    `);
  }
}
