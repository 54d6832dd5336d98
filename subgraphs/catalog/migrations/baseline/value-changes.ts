import { byteCountTriggers, jsonBytes, OWNED } from '../../../../platform/database/index.ts';

/** The changes of values by users and their programs, bulk edits and imports. The history of enrichments has those by jobs. */
export const valueChanges = `
create table catalog.value_changes (
  ${OWNED},
  product_id uuid not null,
  slug text not null,
  changed_at timestamptz not null default now(),
  user_id uuid not null, key_id uuid,
  -- Null for no value.
  before jsonb, after jsonb
);
-- The history of a value, newest first.
create index value_changes_newest on catalog.value_changes (organization_id, product_id, slug, changed_at desc, id desc);
-- The retention.
create index value_changes_age on catalog.value_changes (changed_at);
-- The quota refuses new content, not the record of a change that makes room.
${byteCountTriggers({ table: 'catalog.value_changes', bytes: `200 + ${jsonBytes('before', 'after')}`, refuses: false })}

create function catalog.record_value_changes() returns trigger language plpgsql as $$
declare who jsonb := nullif(current_setting('audit.actor', true), '')::jsonb;
begin
  if who ->> 'user' is null then return null; end if;
  -- A full join, because another one would take quadratic time for many rows, after a connection made its plan for one.
  with changed as materialized (
    select a.organization_id, a.id, a.attributes, b.attributes as earlier from after_rows a full join before_rows b using (id)
     where a.attributes is distinct from b.attributes)
  insert into catalog.value_changes (id, organization_id, product_id, slug, user_id, key_id, before, after)
  select gen_random_uuid(), c.organization_id, c.id, k.slug, (who ->> 'user')::uuid, (who ->> 'key')::uuid,
         c.earlier -> k.slug, c.attributes -> k.slug
    from changed c
   cross join lateral (select jsonb_object_keys(c.attributes) union select jsonb_object_keys(c.earlier)) as k (slug)
   where c.attributes -> k.slug -> 'value' is distinct from c.earlier -> k.slug -> 'value';
  return null;
end $$;
create trigger value_changes after update on catalog.products referencing new table as after_rows old table as before_rows
  for each statement execute function catalog.record_value_changes();
`;
