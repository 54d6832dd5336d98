import { byteCountTriggers, jsonBytes, OF_ORGANIZATION, OWNED } from '../../../../platform/database/index.ts';

const subjects = { brand: 'brands', category: 'categories' };

/** Levels of a path. A name with more is a category without a parent. */
const MAX_LEVELS = 10;

/** The names of changed products that are not archived, as rows of subject, name and enriched state, counted `n` times each. */
const named = (rows: string, n: number) =>
  Object.keys(subjects)
    .map(
      (subject) =>
        `select organization_id, '${subject}' as subject, ${subject} as name, enriched, ${n} as n from ${rows} where not archived`,
    )
    .join(' union all ');

/** The changes of the counts of labels and of the categories above them. */
const changed = (changes: string) => `
  with named as materialized (
    select organization_id, subject, catalog.name_key(name) as key, min(name) as name, sum(n) as products,
           coalesce(sum(n) filter (where enriched), 0) as enriched
      from (${changes}) c where btrim(name, E' \\t\\r\\n') <> '' group by 1, 2, 3),
  counted as (
    select organization_id, subject, key, name, products, enriched, products as total from named
    union all
    select organization_id, subject, catalog.name_key(a.name), a.name, 0, 0, products
      from named cross join lateral catalog.names_above(named.name) a (name) where subject = 'category')
  select organization_id, subject, key, catalog.parent_key(subject, min(name)) as parent_key,
         coalesce(min(name) filter (where products <> 0), min(name)) as name, sum(products) as products, sum(enriched) as enriched, sum(total) as total
    from counted group by 1, 2, 3 having sum(products) <> 0 or sum(enriched) <> 0 or sum(total) <> 0 order by 1, 2, 3`;

const count = (changes: string) => `
  insert into catalog.labels as l (organization_id, subject, key, parent_key, name, product_count, enriched_count, total_count)
  ${changed(changes)}
  on conflict (organization_id, subject, key) do update set product_count = l.product_count + excluded.product_count,
    enriched_count = l.enriched_count + excluded.enriched_count, total_count = l.total_count + excluded.total_count,
    name = case when l.product_count = 0 and l.record_id is null and excluded.product_count > 0 then excluded.name else l.name end`;

/** SQL of the labels that exist: products name them or one below, or they or one below were created. */
const IS_LISTED = '(total_count > 0 or created_count > 0)';

/** Brands and categories: those that were created, and those that products name. */
export const labels = `
-- The levels of a path such as "Furniture > Chairs". A name with an empty level, or with too many, is one level.
create function catalog.path_of(name text) returns text[] language plpgsql immutable strict parallel safe as $$
declare
  levels text[] := string_to_array(name, '>');
  whole text[] := array[btrim(name, E' \\t\\r\\n')];
begin
  if cardinality(levels) not between 2 and ${MAX_LEVELS} then return whole; end if;
  for n in 1 .. cardinality(levels) loop
    levels[n] := btrim(levels[n], E' \\t\\r\\n');
    if levels[n] = '' then return whole; end if;
  end loop;
  return levels;
end $$;
create function catalog.names_above(name text) returns setof text language sql immutable strict parallel safe as $$
  select array_to_string(path[1:n], ' > ') from catalog.path_of(name) path, generate_series(1, cardinality(path) - 1) n
$$;
create function catalog.parent_key(subject text, name text) returns uuid language plpgsql immutable strict parallel safe as $$
declare path text[];
begin
  if subject <> 'category' or position('>' in name) = 0 then return null; end if;
  path := catalog.path_of(name);
  return case when cardinality(path) > 1 then catalog.name_key(array_to_string(path[1:cardinality(path) - 1], ' > ')) end;
end $$;
-- Whether a name is that of a key, or a path below it. The key has this number of levels.
create function catalog.is_within(name text, key uuid, levels integer) returns boolean language plpgsql immutable strict parallel safe as $$
declare path text[];
begin
  if catalog.name_key(name) = key then return true; end if;
  if position('>' in name) = 0 then return false; end if;
  path := catalog.path_of(name);
  return cardinality(path) > levels and catalog.name_key(array_to_string(path[1:levels], ' > ')) = key;
end $$;
-- A name whose first levels are replaced. The rest keeps its spelling.
create function catalog.moved_name(name text, levels integer, target text) returns text language plpgsql immutable strict parallel safe as $$
declare parts text[];
begin
  if cardinality(catalog.path_of(name)) <= levels then return target; end if;
  parts := string_to_array(name, '>');
  return target || substring(parts[levels] from '\\s*$') || '>' || array_to_string(parts[levels + 1:], '>');
end $$;

-- The brands and categories that products name or that were created, with the numbers of their products. Categories above them exist too.
create table catalog.labels (
  ${OF_ORGANIZATION},
  subject text not null,
  key uuid not null,
  -- The category above.
  parent_key uuid,
  name text not null,
  product_count bigint not null default 0, enriched_count bigint not null default 0,
  -- Products here and in categories below; records here and below.
  total_count bigint not null default 0, created_count bigint not null default 0,
  record_id uuid,
  primary key (organization_id, subject, key)
);
-- The list by name. A category can exceed the size of an index entry.
create index labels_by_name on catalog.labels (organization_id, subject, (left(lower(name), 200)), key) where ${IS_LISTED};
-- The list by the number of products.
create index labels_by_products on catalog.labels (organization_id, subject, product_count, key) where ${IS_LISTED};
-- The categories directly below one, and those on top, by name.
create index labels_below on catalog.labels (organization_id, parent_key, (left(lower(name), 200)), key) where parent_key is not null;
create index labels_on_top on catalog.labels (organization_id, (left(lower(name), 200)), key)
  where subject = 'category' and parent_key is null and ${IS_LISTED};
-- Search for a part of a name.
create index labels_search on catalog.labels using gin (organization_id, subject, (lower(name)) gin_trgm_ops) where ${IS_LISTED};
-- The retention of names that nothing uses any more.
create index labels_unlisted on catalog.labels (organization_id, subject, key) where not ${IS_LISTED};
-- The numbers of a brand or category.
create index labels_of_record on catalog.labels (record_id) where record_id is not null;

-- The keys of a category and of those below it.
create function catalog.keys_within(organization uuid, of_subject text, top uuid) returns setof uuid
  language sql stable parallel safe as $$
  with recursive within as (
    select top as key
    union
    select l.key from within w join catalog.labels l on l.organization_id = organization and l.parent_key = w.key
     where of_subject = 'category')
  select key from within
$$;

-- Adds a record to a label and to the categories above. Rows are locked in the order of their keys.
create function catalog.add_record(organization uuid, of_subject text, of_name text, record uuid) returns void language sql as $$
  insert into catalog.labels as l (organization_id, subject, key, parent_key, name, record_id, created_count)
  select organization, of_subject, catalog.name_key(n.name), catalog.parent_key(of_subject, n.name), n.name, n.id, 1
    from (select of_name as name, record as id union all select a, null from catalog.names_above(of_name) a where of_subject = 'category') n order by 3
  on conflict (organization_id, subject, key) do update set created_count = l.created_count + 1,
    record_id = coalesce(excluded.record_id, l.record_id), name = case when excluded.record_id is null then l.name else excluded.name end
$$;
-- An update, because the organization may be gone.
create function catalog.remove_record(organization uuid, of_subject text, of_name text) returns void language plpgsql as $$
declare each_key uuid;
begin
  for each_key in
    select catalog.name_key(of_name) union select catalog.name_key(a) from catalog.names_above(of_name) a where of_subject = 'category' order by 1
  loop
    update catalog.labels l set created_count = l.created_count - 1,
           record_id = case when l.key <> catalog.name_key(of_name) then l.record_id end
     where (l.organization_id, l.subject, l.key) = (organization, of_subject, each_key);
  end loop;
end $$;
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
  if tg_op = 'UPDATE' and catalog.name_key(new.name) = catalog.name_key(old.name) then
    update catalog.labels set name = new.name
     where (organization_id, subject, key) = (new.organization_id, '${subject}', catalog.name_key(new.name));
    return null;
  end if;
  if tg_op <> 'INSERT' then perform catalog.remove_record(old.organization_id, '${subject}', old.name); end if;
  if tg_op <> 'DELETE' then perform catalog.add_record(new.organization_id, '${subject}', new.name, new.id); end if;
  return null;
end $$;
create trigger list_${subject} after insert or delete or update of name on catalog.${table}
  for each row execute function catalog.list_${subject}();`,
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
  for gone in ${changed(named('before_rows', 1))} loop
    update catalog.labels l set product_count = l.product_count - gone.products, enriched_count = l.enriched_count - gone.enriched,
           total_count = l.total_count - gone.total
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

-- The values of brands and categories that people entered. They replace those of the latest enrichment.
create table catalog.label_values (
  ${OF_ORGANIZATION},
  subject text not null,
  key uuid not null,
  slug text not null,
  value jsonb not null,
  at timestamptz not null default now(),
  primary key (organization_id, subject, key, slug)
);
${byteCountTriggers({ table: 'catalog.label_values', bytes: `100 + ${jsonBytes('value')}`, updates: 'true' })}

-- A renamed or merged brand or category whose products do not all have the new name yet. A worker continues it in pages.
create table catalog.label_moves (
  ${OWNED},
  subject text not null,
  from_key uuid not null, from_name text not null,
  to_key uuid not null, to_name text not null,
  -- The levels of the path of the former name.
  levels integer not null,
  is_merge boolean not null,
  -- The products at the start, and those that have the new name.
  total bigint not null, moved bigint not null,
  -- The number of the next page, and the last product of the previous one.
  page integer not null default 0,
  after_key uuid, after_created_at timestamptz, after_id uuid,
  created_at timestamptz not null default now(),
  unique (organization_id, subject)
);
`;
