import { byteCountTriggers, OF_ORGANIZATION, OWNED } from '../../../../platform/database/index.ts';

const subjects = { brand: 'brands', category: 'categories' };

/** The names of changed products that are not archived, as rows of subject, name and enriched state, counted `n` times each. */
const named = (rows: string, n: number) =>
  Object.keys(subjects)
    .map(
      (subject) =>
        `select organization_id, '${subject}' as subject, ${subject} as name, enriched, ${n} as n from ${rows} where not archived`,
    )
    .join(' union all ');

const count = (changes: string) => `
  insert into catalog.labels as l (organization_id, subject, key, name, product_count, enriched_count)
  select * from (
    select organization_id, subject, catalog.name_key(name) as key, min(name) as name, sum(n) as products,
           coalesce(sum(n) filter (where enriched), 0) as enriched
      from (${changes}) c where btrim(name, E' \\t\\r\\n') <> '' group by 1, 2, 3) s where products <> 0 or enriched <> 0 order by 1, 2, 3
  on conflict (organization_id, subject, key) do update set product_count = l.product_count + excluded.product_count,
    enriched_count = l.enriched_count + excluded.enriched_count,
    name = case when l.product_count = 0 and l.record_id is null then excluded.name else l.name end`;

const IS_LISTED = 'product_count > 0 or record_id is not null';

/** Brands and categories: those that were created, and those that products name. */
export const labels = `
-- The brands and categories that products name or that were created, with the numbers of their products.
create table catalog.labels (
  ${OF_ORGANIZATION},
  subject text not null,
  key uuid not null,
  name text not null,
  product_count bigint not null default 0, enriched_count bigint not null default 0,
  record_id uuid,
  primary key (organization_id, subject, key)
);
-- The list by name. A category can exceed the size of an index entry.
create index labels_by_name on catalog.labels (organization_id, subject, (left(lower(name), 200)), key) where ${IS_LISTED};
-- The list by the number of products.
create index labels_by_products on catalog.labels (organization_id, subject, product_count, key) where ${IS_LISTED};
-- Search for a part of a name.
create index labels_search on catalog.labels using gin (organization_id, subject, (lower(name)) gin_trgm_ops) where ${IS_LISTED};
-- The numbers of a brand or category.
create index labels_of_record on catalog.labels (record_id) where record_id is not null;
${Object.entries(subjects)
  .map(
    ([subject, table]) => `
create table catalog.${table} (
  ${OWNED},
  name text not null,
  slug text not null,
  created_at timestamptz not null default now(),
  unique (organization_id, slug)
);
-- A name exists once, in any case.
create unique index ${table}_name on catalog.${table} (organization_id, catalog.name_key(name));
${byteCountTriggers({ table: `catalog.${table}`, bytes: '150' })}
create function catalog.list_${subject}() returns trigger language plpgsql as $$
begin
  insert into catalog.labels (organization_id, subject, key, name, record_id)
  values (new.organization_id, '${subject}', catalog.name_key(new.name), new.name, new.id)
  on conflict (organization_id, subject, key) do update set record_id = excluded.record_id, name = excluded.name;
  return null;
end $$;
create trigger list_${subject} after insert on catalog.${table} for each row execute function catalog.list_${subject}();`,
  )
  .join('\n')}

create function catalog.count_created_labels() returns trigger language plpgsql as $$
begin
  ${count(named('after_rows', 1))};
  return null;
end $$;
create function catalog.count_changed_labels() returns trigger language plpgsql as $$
begin
  -- A full join, because another one would take quadratic time for many rows, after a connection made its plan for one.
  if not exists (select 1 from after_rows a full join before_rows b using (id)
                  where (a.brand, a.category, a.enriched, a.archived) is distinct from (b.brand, b.category, b.enriched, b.archived)) then return null; end if;
  ${count(`${named('after_rows', 1)} union all ${named('before_rows', -1)}`)};
  return null;
end $$;
-- Each row is found by its key. A join would take quadratic time for many rows, after a connection made its plan for one.
create function catalog.count_deleted_labels() returns trigger language plpgsql as $$
declare gone record;
begin
  for gone in
    select organization_id, subject, catalog.name_key(name) as key, count(*) as products, count(*) filter (where enriched) as enriched
      from (select organization_id, 'brand' as subject, brand as name, enriched from before_rows where not archived
            union all select organization_id, 'category', category, enriched from before_rows where not archived) named
     where btrim(name, E' \\t\\r\\n') <> '' group by 1, 2, 3 order by 1, 2, 3
  loop
    update catalog.labels l set product_count = l.product_count - gone.products, enriched_count = l.enriched_count - gone.enriched
     where (l.organization_id, l.subject, l.key) = (gone.organization_id, gone.subject, gone.key);
  end loop;
  return null;
end $$;
create trigger labels_created after insert on catalog.products referencing new table as after_rows
  for each statement execute function catalog.count_created_labels();
create trigger labels_changed after update on catalog.products referencing new table as after_rows old table as before_rows
  for each statement execute function catalog.count_changed_labels();
create trigger labels_deleted after delete on catalog.products referencing old table as before_rows
  for each statement execute function catalog.count_deleted_labels();
`;
