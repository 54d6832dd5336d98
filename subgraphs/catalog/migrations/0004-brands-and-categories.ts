import { Migration } from '@mikro-orm/migrations';

const labels = { brands: 'brand', categories: 'category' };

export class BrandsAndCategories extends Migration {
  override up(): void {
    this.addSql(`
      -- Key for matching names: trimmed and lowercase. Hashed, because a category can exceed the size of an index entry.
      create function catalog.name_key(name text) returns uuid language sql immutable strict parallel safe
        return md5(lower(btrim(name, E' \\t\\r\\n')))::uuid;

      ${Object.entries(labels)
        .map(
          ([table, column]) => `
      create table catalog.${table} (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        name text not null, slug text not null, created_at timestamptz not null default now(), unique (organization_id, slug)
      );
      create unique index ${table}_name on catalog.${table} (organization_id, catalog.name_key(name));
      create index products_of_${column} on catalog.products (organization_id, catalog.name_key(${column}), id) where ${column} is not null;`,
        )
        .join('\n')}

      alter table catalog.attributes add subject text not null default 'product', drop constraint attributes_organization_id_slug_key,
        add unique (organization_id, subject, slug);
      alter table catalog.attribute_sets add subject text not null default 'product', drop constraint attribute_sets_organization_id_name_key,
        add unique (organization_id, subject, name);

      alter table catalog.jobs add file_name varchar(255), add input_columns text[];
      create unique index jobs_one_at_a_time on catalog.jobs (organization_id, kind)
        where kind in ('brand-enrichment', 'product-category-enrichment') and status in ('pending', 'processing');

      -- json instead of jsonb preserves the order of keys and every character.
      alter table catalog.job_items add subject text, add label text, add input_data json, add reference_data jsonb,
        add created_at timestamptz not null default now();
      create index job_items_of_label on catalog.job_items
        (organization_id, subject, catalog.name_key(label), coalesce(completed_at, created_at) desc, id desc) where label is not null;
    `);
  }
}
