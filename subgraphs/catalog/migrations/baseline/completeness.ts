import { OF_ORGANIZATION } from '../../../../platform/database/index.ts';

const groupsOf = (rows: string, n: number, prefix = '') =>
  `select organization_id, catalog.category_of(${prefix}category) as category, catalog.filled(${prefix}attributes) as slugs, ${n} as n from ${rows}
    where not ${prefix}archived`;

const add = (changes: string) => `
  insert into catalog.filled_groups as g (organization_id, category, shape, slot, slugs, count)
  select organization_id, category, catalog.shape_of(slugs), 1 + pg_backend_pid() % 15, slugs, sum(n) from (${changes}) c
   where exists (select 1 from identity.organizations o where o.id = organization_id)
   group by 1, 2, 5 having sum(n) <> 0 order by 1, 2, 3
  on conflict (organization_id, category, shape, slot) do update set count = g.count + excluded.count`;

const trigger = (event: 'insert' | 'update' | 'delete', tables: string, changes: string, before = '') => `
create function catalog.fill_${event}() returns trigger language plpgsql as $$ begin ${before} ${add(changes)}; return null; end $$;
create trigger fill_${event} after ${event} on catalog.products referencing ${tables}
  for each statement execute function catalog.fill_${event}();`;

/** Each event of a table whose rows decide the expected values. */
const outdate = (table: string, { rows = 'true', updates = '' }: { rows?: string; updates?: string } = {}) =>
  (
    [
      ['insert', 'new table as changed', `select organization_id from changed where ${rows}`],
      ['delete', 'old table as changed', `select organization_id from changed where ${rows}`],
      ['update', 'new table as changed old table as before_rows', `select a.organization_id from changed a ${updates}`],
    ] as const
  )
    .map(
      ([event, tables, organizations]) => `
create function catalog.${table}_expected_${event}() returns trigger language plpgsql as $$ begin
  perform catalog.outdate_groups(array(${organizations}));
  return null;
end $$;
create trigger expected_${event} after ${event} on catalog.${table} referencing ${tables}
  for each statement execute function catalog.${table}_expected_${event}();`,
    )
    .join('');

/**
 * How many products of a category, without archived ones, have values of the same attributes. A change of an attribute or a set changes none of these rows. A
 * sweep adds to each how many of the expected values its products have, and sums the groups up by that, so that a reader of a large catalog compares few groups.
 */
export const completeness = `
create table catalog.filled_groups (
  ${OF_ORGANIZATION},
  category uuid not null,
  shape bigint not null,
  -- The count is the sum of its slots, so that transactions of different connections rarely wait for each other. A sweep adds them up in slot 0.
  slot smallint not null,
  slugs text[] not null,
  count bigint not null,
  -- The completeness in slot 0, which holds while the expected values of the organization have this hash.
  expectations bigint not null default 0,
  filled int not null default 0, expected int not null default 0,
  filled_required int not null default 0, expected_required int not null default 0,
  share float8 not null generated always as (coalesce(filled::float8 / nullif(expected, 0), 2)) stored,
  primary key (organization_id, category, shape, slot)
) with (fillfactor = 70);
-- The slots to add up.
create index filled_groups_slots on catalog.filled_groups (organization_id, category, shape) where slot > 0;
-- The order by completeness, and the groups whose completeness no longer holds.
create index filled_groups_by_share on catalog.filled_groups (organization_id, expectations, share, category, shape) where slot = 0;

-- The sums of slot 0 of all groups of a category with the same completeness, and of the whole catalog under the highest id. Only the sweep writes them.
create table catalog.completeness_levels (
  ${OF_ORGANIZATION},
  category uuid not null,
  expectations bigint not null,
  filled int not null, expected int not null,
  filled_required int not null, expected_required int not null,
  count bigint not null,
  primary key (organization_id, category, expectations, filled, expected, filled_required, expected_required)
);
${trigger('insert', 'new table as after_rows', groupsOf('after_rows', 1))}
${trigger('delete', 'old table as before_rows', groupsOf('before_rows', -1))}
${trigger(
  'update',
  'new table as after_rows old table as before_rows',
  `${groupsOf('changed', 1)} union all ${groupsOf('changed', -1, 'old_')}`,
  `
  -- A full join, because another one would take quadratic time for many rows, after a connection made its plan for one.
  with changed as materialized (
    select a.organization_id, a.category, a.attributes, a.archived, b.category as old_category, b.attributes as old_attributes,
           b.archived as old_archived
      from after_rows a full join before_rows b using (id)
     where (a.attributes, a.category, a.archived) is distinct from (b.attributes, b.category, b.archived))`,
)}

-- The attribute set of a category, by the key of its name.
create table catalog.category_sets (
  ${OF_ORGANIZATION},
  category uuid not null,
  attribute_set_id uuid not null references catalog.attribute_sets on delete cascade deferrable initially deferred,
  primary key (organization_id, category)
);
-- The categories of a set.
create index category_sets_of_set on catalog.category_sets (attribute_set_id);
-- A category that gets or loses a set is a change of the set. None is recorded for a deleted set.
create function catalog.audit_category_set() returns trigger language plpgsql as $$ begin
  perform identity.record_change(s.organization_id, 'attribute_set', s.id, 'updated', '{categories}')
     from catalog.attribute_sets s join identity.organizations o on o.id = s.organization_id
    where s.id in (case when tg_op <> 'INSERT' then old.attribute_set_id end, case when tg_op <> 'DELETE' then new.attribute_set_id end)
      and (tg_op <> 'UPDATE' or old.attribute_set_id <> new.attribute_set_id);
  return null;
end $$;
create trigger audit after insert or update or delete on catalog.category_sets
  for each row execute function catalog.audit_category_set();

-- After a change of the expected values, an empty change of a group lets the next sweep find the organization and refresh its groups. Its slot is none
-- of those of products, so that their writers never wait for it.
create function catalog.outdate_groups(organizations uuid[]) returns void language sql as $$
  insert into catalog.filled_groups as g (organization_id, category, shape, slot, slugs, count)
  select id, catalog.category_of(null), catalog.shape_of('{}'), 16 + pg_backend_pid() % 15, '{}', 0 from identity.organizations o
   where id = any(organizations) and exists (select from catalog.filled_groups f where f.organization_id = o.id) order by id
  on conflict (organization_id, category, shape, slot) do update set count = g.count
$$;
${outdate('attributes', {
  rows: `subject = 'product' and is_active`,
  updates:
    'full join before_rows b using (id) where (a.slug, a.subject, a.is_active) is distinct from (b.slug, b.subject, b.is_active)',
})}
${outdate('attribute_set_attributes', {
  updates: `full join before_rows b using (attribute_set_id, attribute_id) where a.required is distinct from b.required`,
})}
${outdate('category_sets')}

-- The completeness of the catalog at the end of each day.
create table catalog.completeness_days (
  ${OF_ORGANIZATION},
  day date not null,
  products bigint not null,
  filled bigint not null, expected bigint not null,
  filled_required bigint not null, expected_required bigint not null,
  primary key (organization_id, day)
);
`;
