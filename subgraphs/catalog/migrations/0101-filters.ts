import { Migration } from '@mikro-orm/migrations';

const labels = ['brand', 'category'];

export class Filters extends Migration {
  override up(): void {
    this.addSql(`

      -- A hash of each attribute that has a value, and of each attribute with its value.
      create function catalog.value_keys(attributes jsonb) returns bigint[] language sql immutable strict parallel safe as $$
        select coalesce(array_agg(distinct k), '{}') from jsonb_each(attributes) a
          cross join lateral (
            select v from jsonb_array_elements_text(case jsonb_typeof(a.value -> 'value') when 'array' then a.value -> 'value' else '[]' end) v
            union all select a.value ->> 'value' where jsonb_typeof(a.value -> 'value') in ('string', 'number', 'boolean')) e (v)
          cross join lateral (values (hashtextextended(a.key, 0)), (hashtextextended(a.key || chr(31) || lower(v), 0))) h (k)
         where v <> ''
      $$;
      create function catalog.lowest_confidence(provenance jsonb) returns real language sql immutable strict parallel safe as $$
        select min(case jsonb_typeof(p.value -> 'confidence') when 'number' then (p.value ->> 'confidence')::real end) from jsonb_each(provenance) p
      $$;
      alter table catalog.products
        add column value_keys bigint[] generated always as (catalog.value_keys(attributes)) stored,
        add column lowest_confidence real generated always as (catalog.lowest_confidence(provenance)) stored;
      create index products_values on catalog.products using gin (organization_id, value_keys);
      create index products_by_confidence on catalog.products (organization_id, lowest_confidence, id) where lowest_confidence is not null;
      create index products_by_updated_at on catalog.products (organization_id, updated_at, id);
      ${labels
        .map(
          (column) => `
      drop index catalog.products_of_${column};
      create index products_of_${column} on catalog.products (organization_id, catalog.name_key(${column}), created_at, id) where ${column} is not null;`,
        )
        .join('\n')}

      create index jobs_newest_of_all on catalog.jobs (organization_id, created_at desc, id desc);
      create index jobs_by_status on catalog.jobs (organization_id, status, created_at desc, id desc);
      create index jobs_by_creator on catalog.jobs (organization_id, created_by_id, created_at desc, id desc);
    `);
  }
}
