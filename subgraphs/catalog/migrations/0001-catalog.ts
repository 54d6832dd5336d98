import { Migration } from '@mikro-orm/migrations';

const sorts = { created_at: 'timestamptz', sku: 'text', name: 'text', manufacturer: 'text', brand: 'text' };

export class Catalog extends Migration {
  override up(): void {
    this.addSql(`
      create schema if not exists catalog;

      create table catalog.products (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        sku varchar(64) not null, name varchar(256) not null, manufacturer varchar(256), mpn varchar(128), uom varchar(128),
        brand varchar(128), category text, external_id text, parent_id uuid references catalog.products on delete set null,
        is_parent boolean not null default false, enriched boolean not null default false,
        user_provided_raw_data_sources text[] not null default '{}', attributes jsonb not null default '{}',
        provenance jsonb not null default '{}',
        created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
        constraint products_sku unique (organization_id, sku),
        constraint products_external_id unique (organization_id, external_id),
        check (not (is_parent and parent_id is not null))
      );
      create index products_parent on catalog.products (parent_id) where parent_id is not null;
      create index products_search on catalog.products using gin ((lower(name)) gin_trgm_ops, (lower(sku)) gin_trgm_ops);
      ${Object.keys(sorts)
        .map(
          (column) =>
            `create index products_by_${column} on catalog.products (organization_id, ${column}, id, is_parent, enriched);`,
        )
        .join('\n')}

      create table catalog.product_counts (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred, is_parent boolean not null,
        enriched boolean not null, count bigint not null, primary key (organization_id, is_parent, enriched)
      );
      create function catalog.count_products() returns trigger language plpgsql as $$
      begin
        insert into catalog.product_counts as c (organization_id, is_parent, enriched, count)
        select organization_id, is_parent, enriched, sum(n) from (
          select organization_id, is_parent, enriched, 1 as n from after_rows
          union all select organization_id, is_parent, enriched, -1 from before_rows) as changes
        group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
        on conflict (organization_id, is_parent, enriched) do update set count = c.count + excluded.count;
        return null;
      end $$;
      create function catalog.count_created_products() returns trigger language plpgsql as $$
      begin
        insert into catalog.product_counts as c (organization_id, is_parent, enriched, count)
        select organization_id, is_parent, enriched, count(*) from after_rows group by 1, 2, 3 order by 1, 2, 3
        on conflict (organization_id, is_parent, enriched) do update set count = c.count + excluded.count;
        return null;
      end $$;
      create function catalog.count_deleted_products() returns trigger language plpgsql as $$
      begin
        update catalog.product_counts c set count = c.count - gone.n
          from (select organization_id, is_parent, enriched, count(*) as n from before_rows group by 1, 2, 3) gone
         where (c.organization_id, c.is_parent, c.enriched) = (gone.organization_id, gone.is_parent, gone.enriched);
        return null;
      end $$;
      create trigger count_created after insert on catalog.products referencing new table as after_rows
        for each statement execute function catalog.count_created_products();
      create trigger count_changed after update on catalog.products referencing new table as after_rows old table as before_rows
        for each statement execute function catalog.count_products();
      create trigger count_deleted after delete on catalog.products referencing old table as before_rows
        for each statement execute function catalog.count_deleted_products();

      create table catalog.attributes (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        name varchar(128) not null, slug varchar(128) not null, type text not null, prompt text not null default '',
        category_prompt text, is_active boolean not null default true, options text[] not null default '{}', unit varchar(32),
        constraints jsonb not null default '{}', created_at timestamptz not null default now(),
        unique (organization_id, slug)
      );
      create table catalog.attribute_sets (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        name varchar(255) not null, created_at timestamptz not null default now(), unique (organization_id, name)
      );
      create table catalog.attribute_set_attributes (
        attribute_set_id uuid not null references catalog.attribute_sets on delete cascade deferrable initially deferred,
        attribute_id uuid not null references catalog.attributes on delete cascade deferrable initially deferred,
        organization_id uuid not null, "order" integer not null, primary key (attribute_set_id, attribute_id)
      );
      create index attribute_set_attributes_attribute on catalog.attribute_set_attributes (attribute_id);

      create table catalog.jobs (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        kind text not null, status text not null default 'pending', model_type text not null,
        websearch boolean, extract_images boolean, include_existing_attributes boolean,
        attribute_set_id uuid, attribute_ids uuid[],
        total_count integer not null, processed_count integer not null default 0, success_count integer not null default 0,
        failed_count integer not null default 0, error_summary text, sequence bigint not null default 1,
        created_by_id uuid not null, created_at timestamptz not null default now(), started_at timestamptz, completed_at timestamptz
      );
      create index jobs_newest on catalog.jobs (organization_id, kind, created_at desc, id desc);
      create index jobs_open on catalog.jobs (created_at) where status in ('pending', 'processing');

      create table catalog.job_items (
        id uuid primary key, organization_id uuid not null, job_id uuid not null references catalog.jobs on delete cascade deferrable initially deferred,
        ordinal integer not null, turn integer not null, phase smallint not null default 0, product_id uuid, status text not null default 'pending', started_at timestamptz,
        completed_at timestamptz, error_message text, enriched_data jsonb, provenance jsonb, cost numeric(16,4) not null default 0,
        unique (job_id, ordinal)
      );
      create index job_items_open on catalog.job_items (job_id, turn) where status in ('pending', 'processing');

      create table catalog.job_changes (
        job_id uuid not null references catalog.jobs on delete cascade deferrable initially deferred, sequence bigint not null, status text not null,
        processed_count integer not null, success_count integer not null, failed_count integer not null, item_ids uuid[] not null default '{}',
        at timestamptz not null default clock_timestamp(), primary key (job_id, sequence)
      );
      create function catalog.job_changed() returns trigger language plpgsql as $$
      begin perform pg_notify('job_changes', new.job_id::text); return null; end $$;
      create trigger changed after insert on catalog.job_changes for each row execute function catalog.job_changed();

      create table catalog.enrichment_history (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        product_id uuid not null, job_item_id uuid unique, enriched_at timestamptz not null default now(),
        attributes jsonb not null, provenance jsonb not null default '{}'
      );
      create index enrichment_history_newest on catalog.enrichment_history (organization_id, product_id, enriched_at desc, id desc);
      create table catalog.validation_history (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        product_id uuid not null, job_item_id uuid unique, validated_at timestamptz not null default now(), overall_score numeric(5,2) not null
      );
      create index validation_history_newest on catalog.validation_history (organization_id, product_id, validated_at desc, id desc);

      create table catalog.product_images (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        product_id uuid not null references catalog.products on delete cascade deferrable initially deferred, url text not null, source_url text not null, alt text,
        mime text not null, bytes integer not null, content_hash text not null, created_at timestamptz not null default now(),
        unique (product_id, content_hash)
      );
    `);
  }
}
