import { byteCountTriggers, jsonBytes, listBytes, OF_ORGANIZATION, OWNED, textBytes } from '../../../../platform/database/index.ts';
import { createPageIndex } from '../../../../platform/lists/index.ts';

/** SQL of the stored bytes of a product. */
export const PRODUCT_BYTES = `500 + ${textBytes('name', 'manufacturer', 'category', 'external_id')}
  + ${listBytes('user_provided_raw_data_sources')} + ${jsonBytes('attributes', 'provenance')}`;

const WORDS = ['sku', 'name', 'manufacturer', 'mpn', 'brand', 'category']
  .map((column) => `coalesce(${column}, '')`)
  .join(` || ' ' || `);
/** Characters of the parts by which a long text is found in a SKU. */
const PART = 5;

/** Products, and the indexes by which lists, filters and searches find them. */
export const products = `
-- Key for matching names: trimmed and lowercase. Hashed, because a category can exceed the size of an index entry.
create function catalog.name_key(name text) returns uuid language sql immutable strict parallel safe
  return md5(lower(btrim(name, E' \\t\\r\\n')))::uuid;

-- The key of a category; zeros without one.
create function catalog.category_of(category text) returns uuid language sql immutable parallel safe
  return coalesce(catalog.name_key(nullif(btrim(category, E' \\t\\r\\n'), '')), '00000000-0000-0000-0000-000000000000');

-- A hash of each attribute that has a value, and of each attribute with its value.
create function catalog.value_keys(attributes jsonb) returns bigint[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct k), '{}') from jsonb_each(attributes) a
    cross join lateral (
      select v from jsonb_array_elements_text(case jsonb_typeof(a.value -> 'value') when 'array' then a.value -> 'value' else '[]' end) v
      union all select a.value ->> 'value' where jsonb_typeof(a.value -> 'value') in ('string', 'number', 'boolean')) e (v)
    cross join lateral (values (hashtextextended(a.key, 0)), (hashtextextended(a.key || chr(31) || lower(v), 0))) h (k)
   where v <> ''
$$;
-- The slugs that have a value, in order. It counts values as catalog.value_keys does.
create function catalog.filled(attributes jsonb) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(a.key order by a.key collate "C"), '{}') from jsonb_each(attributes) a
   where case jsonb_typeof(a.value -> 'value')
           when 'array' then exists (select from jsonb_array_elements_text(a.value -> 'value') v where v <> '')
           when 'null' then false
           when 'object' then false
           else a.value ->> 'value' <> '' end
$$;
-- A hash of slugs, and that of the slugs that have a value.
create function catalog.shape_of(slugs text[]) returns bigint language sql immutable parallel safe
  return hashtextextended(array_to_string(slugs, chr(31)), 0);
create function catalog.value_shape(attributes jsonb) returns bigint language sql immutable parallel safe
  return catalog.shape_of(catalog.filled(attributes));
-- The bytes of values, by the rule that limits those of one product.
create function catalog.values_size(attributes jsonb) returns bigint language sql immutable strict parallel safe as $$
  select coalesce(sum(octet_length(a.key) + octet_length(coalesce(a.value ->> 'attributeName', a.key)) + case jsonb_typeof(a.value -> 'value')
      when 'string' then octet_length(a.value ->> 'value')
      when 'array' then (select coalesce(sum(octet_length(v)), 0) from jsonb_array_elements_text(a.value -> 'value') v)
      else 8 end), 0)::bigint from jsonb_each(attributes) a
$$;
create function catalog.lowest_confidence(provenance jsonb) returns real language sql immutable strict parallel safe as $$
  select min(case jsonb_typeof(p.value -> 'confidence') when 'number' then (p.value ->> 'confidence')::real end) from jsonb_each(provenance) p
$$;

create table catalog.products (
  ${OWNED},
  sku varchar(64) not null,
  name varchar(256) not null,
  manufacturer varchar(256), mpn varchar(128), uom varchar(128), brand varchar(128), category text,
  external_id text,
  parent_id uuid references catalog.products on delete set null,
  is_parent boolean not null default false,
  enriched boolean not null default false,
  archived boolean not null default false,
  user_provided_raw_data_sources text[] not null default '{}',
  attributes jsonb not null default '{}',
  provenance jsonb not null default '{}',
  value_keys bigint[] generated always as (catalog.value_keys(attributes)) stored,
  -- The products with values of the same attributes have the same shape.
  shape bigint generated always as (catalog.value_shape(attributes)) stored,
  lowest_confidence real generated always as (catalog.lowest_confidence(provenance)) stored,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  constraint products_sku unique (organization_id, sku),
  constraint products_external_id unique (organization_id, external_id),
  check (not (is_parent and parent_id is not null))
);
-- The orders of the lists of products and of archived ones, also of parents or enriched ones only.
${['created_at', 'sku', 'name', 'manufacturer', 'brand']
  .map(
    (column) =>
      `create index products_by_${column} on catalog.products (organization_id, archived, ${column}, id, is_parent, enriched);`,
  )
  .join('\n')}
-- The products that changed since a time.
create index products_by_updated_at on catalog.products (organization_id, archived, updated_at, id);
-- Filter by the lowest confidence.
create index products_by_confidence on catalog.products (organization_id, lowest_confidence, id) where lowest_confidence is not null;
-- Filter by an attribute that has a value, or a certain value.
create index products_values on catalog.products using gin (organization_id, value_keys);
-- Order and filter by completeness, and filter by an attribute without a value: the groups of products that catalog.filled_groups counts.
create index products_by_group on catalog.products (organization_id, catalog.category_of(category), shape, id, is_parent, enriched) where not archived;
-- The products of a brand or category.
create index products_of_brand on catalog.products (organization_id, catalog.name_key(brand), created_at, id) where brand is not null;
create index products_of_category on catalog.products (organization_id, catalog.name_key(category), created_at, id) where category is not null;
-- The variants of a parent. A large parent is read in batches.
create index products_variants on catalog.products (parent_id, id) where parent_id is not null;

-- Search for a part of a name or SKU. Without the organization, a search would read the entries of all organizations.
create index products_containing on catalog.products using gin (organization_id, (lower(name)) gin_trgm_ops, (lower(sku)) gin_trgm_ops);
-- SKUs consist of few characters, so in a large catalog each trigram is common. Longer parts are rare, and find a SKU without reading the
-- entries of many others. A function in SQL takes ten times as long.
create function catalog.parts_of(text text) returns text[] language plpgsql immutable strict parallel safe as $$
declare
  parts text[] := '{}';
begin
  for at in 1 .. length(text) - ${PART - 1} loop parts := parts || substr(text, at, ${PART}); end loop;
  return parts;
end $$;
-- Search for a part of a SKU.
create index products_by_parts on catalog.products using gin (organization_id, catalog.parts_of(lower(sku::text)));
create function catalog.product_words(sku text, name text, manufacturer text, mpn text, brand text, category text) returns tsvector
  language sql immutable parallel safe
  return to_tsvector('simple'::regconfig, ${WORDS}) || to_tsvector('english'::regconfig, ${WORDS});
-- Search by words, as agents do.
create index products_words on catalog.products using gin
  (organization_id, catalog.product_words(sku, name, manufacturer, mpn, brand, category), lower(name) gin_trgm_ops);

-- The foreign key detaches the variants of a deleted parent. Readers who mirror a catalog must see that.
create function catalog.variant_detached() returns trigger language plpgsql as $$
begin new.updated_at := clock_timestamp(); return new; end $$;
create trigger variant_detached before update of parent_id on catalog.products for each row
  when (old.parent_id is not null and new.parent_id is null and new.updated_at = old.updated_at)
  execute function catalog.variant_detached();

create table catalog.product_images (
  ${OWNED},
  product_id uuid not null references catalog.products on delete cascade deferrable initially deferred,
  url text not null, source_url text not null, alt text,
  mime text not null, bytes integer not null, content_hash text not null,
  created_at timestamptz not null default now(),
  unique (product_id, content_hash)
);
-- The foreign key.
create index product_images_organization on catalog.product_images (organization_id);
${byteCountTriggers({ table: 'catalog.products', bytes: PRODUCT_BYTES, updates: 'true' })}
`;

/** Products that were deleted, as a whole, so that no list of products finds them. */
export const deletedProducts = `
create table catalog.deleted_products (
  ${OWNED},
  sku varchar(64) not null, name varchar(256) not null, brand varchar(128), category text,
  parent_id uuid,
  deleted_at timestamptz not null default clock_timestamp(),
  deleted_by_id uuid,
  -- The row of the product, the variants that it had, and the rows that its deletion would lose.
  record jsonb not null default '{}',
  variant_ids uuid[] not null default '{}',
  images jsonb[] not null default '{}',
  proposals jsonb[] not null default '{}',
  bytes integer not null default 0
);
-- The list, newest first.
create index deleted_products_newest on catalog.deleted_products (organization_id, deleted_at desc, id desc);
-- The retention.
create index deleted_products_age on catalog.deleted_products (deleted_at);
-- A deletion is never refused.
${byteCountTriggers({ table: 'catalog.deleted_products', bytes: 'r.bytes', refuses: false, updates: 'false' })}
`;

/** The values that jobs wrote to products, and their scores. */
export const history = `
create table catalog.enrichment_history (
  ${OWNED},
  product_id uuid not null,
  job_item_id uuid unique,
  enriched_at timestamptz not null default now(),
  attributes jsonb not null,
  provenance jsonb not null default '{}'
);
-- The history of a product, newest first.
create index enrichment_history_newest on catalog.enrichment_history (organization_id, product_id, enriched_at desc, id desc);

create table catalog.validation_history (
  ${OWNED},
  product_id uuid not null,
  job_item_id uuid unique,
  validated_at timestamptz not null default now(),
  overall_score numeric(5,2) not null
);
-- The history of a product, newest first.
create index validation_history_newest on catalog.validation_history (organization_id, product_id, validated_at desc, id desc);
${byteCountTriggers({ table: 'catalog.enrichment_history', bytes: `200 + ${jsonBytes('attributes', 'provenance')}` })}
${byteCountTriggers({ table: 'catalog.validation_history', bytes: '150' })}
`;

/** The columns that searches and the common filters read. */
const LISTED = ['sku', 'name', 'brand', 'category', 'parent_id', 'is_parent', 'enriched', 'archived'];
const listedOf = (row: string) => `(${LISTED.map((column) => `${row}.${column}`).join(', ')})`;

const versionTrigger = (event: string, transition: string, rows: string, listed: string) => `
create function catalog.version_${event}() returns trigger language plpgsql as $$ begin
  insert into catalog.product_versions as v (organization_id, slot, listed, changed)
  select organization_id, pg_backend_pid() % 16, ${listed}, 1 from (select distinct organization_id from ${rows}) o
   where exists (select 1 from identity.organizations where id = organization_id) order by 1
  on conflict (organization_id, slot) do update set listed = v.listed + excluded.listed, changed = v.changed + 1;
  return null;
end $$;
create trigger version_${event} after ${event} on catalog.products referencing ${transition}
  for each statement execute function catalog.version_${event}();`;

/**
 * Numbers about the products of an organization that triggers maintain: their count, by which a page needs no count of all rows; the version
 * of the catalog, by which processes recognize that a total of a search still holds; and the index of its deep pages.
 */
export const productTotals = `
create table catalog.product_counts (
  ${OF_ORGANIZATION},
  is_parent boolean not null, enriched boolean not null, archived boolean not null default false,
  count bigint not null,
  primary key (organization_id, is_parent, enriched, archived)
);
create function catalog.count_created_products() returns trigger language plpgsql as $$
begin
  insert into catalog.product_counts as c (organization_id, is_parent, enriched, archived, count)
  select organization_id, is_parent, enriched, archived, count(*) from after_rows group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (organization_id, is_parent, enriched, archived) do update set count = c.count + excluded.count;
  return null;
end $$;
create function catalog.count_products() returns trigger language plpgsql as $$
begin
  insert into catalog.product_counts as c (organization_id, is_parent, enriched, archived, count)
  select organization_id, is_parent, enriched, archived, sum(n) from (
    select organization_id, is_parent, enriched, archived, 1 as n from after_rows
    union all select organization_id, is_parent, enriched, archived, -1 from before_rows) as changes
  group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
  on conflict (organization_id, is_parent, enriched, archived) do update set count = c.count + excluded.count;
  return null;
end $$;
-- Each row is found by its key. A join would take quadratic time for many rows, after a connection made its plan for one.
create function catalog.count_deleted_products() returns trigger language plpgsql as $$
declare gone record;
begin
  for gone in select organization_id, is_parent, enriched, archived, count(*) as n from before_rows group by 1, 2, 3, 4 order by 1, 2, 3, 4 loop
    update catalog.product_counts c set count = c.count - gone.n
     where (c.organization_id, c.is_parent, c.enriched, c.archived) = (gone.organization_id, gone.is_parent, gone.enriched, gone.archived);
  end loop;
  return null;
end $$;
create trigger count_created after insert on catalog.products referencing new table as after_rows
  for each statement execute function catalog.count_created_products();
create trigger count_changed after update on catalog.products referencing new table as after_rows old table as before_rows
  for each statement execute function catalog.count_products();
create trigger count_deleted after delete on catalog.products referencing old table as before_rows
  for each statement execute function catalog.count_deleted_products();

-- The sum of the slots increases with each commit that changed products. Transactions of different connections rarely share a row, so they
-- do not wait for each other.
create table catalog.product_versions (
  ${OF_ORGANIZATION},
  slot smallint not null,
  listed bigint not null,
  changed bigint not null,
  primary key (organization_id, slot)
) with (fillfactor = 50);
${versionTrigger('insert', 'new table as after_rows', 'after_rows', '1')}
${versionTrigger('delete', 'old table as before_rows', 'before_rows', '1')}
-- A full join, because another one would take quadratic time for many rows, after a connection made its plan for one.
${versionTrigger(
  'update',
  'new table as after_rows old table as before_rows',
  'after_rows',
  `(exists (select 1 from after_rows a full join before_rows b using (id) where ${listedOf('a')} is distinct from ${listedOf('b')}))::int`,
)}

-- Their triggers come before those of the counts, whose rows also serialize writers.
${createPageIndex({
  index: 'catalog.product_page_index',
  table: 'catalog.products',
  list: 'organization_id',
  parent: 'identity.organizations',
  sorts: { created_at: { time: true }, sku: {}, name: {}, manufacturer: { nullable: true }, brand: { nullable: true } },
  classes: {
    plain: '(not c.archived and not c.is_parent and not c.enriched)',
    enriched: '(not c.archived and not c.is_parent and c.enriched)',
    parents: '(not c.archived and c.is_parent and not c.enriched)',
    enriched_parents: '(not c.archived and c.is_parent and c.enriched)',
    archived: 'c.archived',
  },
  triggers: 'apply_to_page_index',
})}
`;
