import { byteCountTriggers, jsonBytes, listBytes, OWNED, textBytes } from '../../../../platform/database/index.ts';

/** SQL of the stored bytes of an attribute. */
export const ATTRIBUTE_BYTES = `300 + ${textBytes('prompt', 'category_prompt')} + ${listBytes('options')} + ${listBytes('examples')}
  + ${jsonBytes('constraints', 'translations')}`;

/** Attributes, and the sets in which jobs use them. */
export const attributes = `
create table catalog.attributes (
  ${OWNED},
  subject text not null default 'product',
  name varchar(128) not null,
  slug varchar(128) not null,
  type text not null,
  prompt text not null default '', category_prompt text,
  is_active boolean not null default true,
  options text[] not null default '{}', unit varchar(32), constraints jsonb not null default '{}', examples text[] not null default '{}',
  -- Names and option labels in other languages.
  translations jsonb not null default '[]',
  created_at timestamptz not null default now(),
  -- The default precision of values that are accepted without a person.
  auto_accept double precision,
  unique (organization_id, subject, slug)
);
${byteCountTriggers({ table: 'catalog.attributes', bytes: ATTRIBUTE_BYTES, updates: 'true' })}

create table catalog.attribute_sets (
  ${OWNED},
  subject text not null default 'product',
  name varchar(255) not null,
  created_at timestamptz not null default now(),
  auto_accept double precision,
  unique (organization_id, subject, name)
);
create trigger audit after insert or update or delete on catalog.attribute_sets
  for each row execute function identity.audit('attribute_set', 'id', 'organization_id');

create table catalog.attribute_set_attributes (
  attribute_set_id uuid not null references catalog.attribute_sets on delete cascade deferrable initially deferred,
  attribute_id uuid not null references catalog.attributes on delete cascade deferrable initially deferred,
  organization_id uuid not null,
  "order" integer not null,
  required boolean not null default false,
  primary key (attribute_set_id, attribute_id)
);
-- The sets of an attribute.
create index attribute_set_attributes_attribute on catalog.attribute_set_attributes (attribute_id);

-- One entry for all attributes that a transaction places, and none for those of a new or deleted set.
create function catalog.audit_placement() returns trigger language plpgsql as $$ begin
  perform identity.record_change(s.organization_id, 'attribute_set', s.id, 'updated', '{attributes}')
     from catalog.attribute_sets s
    where s.id in (select attribute_set_id from changed_rows)
      and not exists (select from identity.audit_entries e where e.organization_id = s.organization_id and e.subject_id = s.id
                         and e.created_at = now() and (e.action = 'created' or 'attributes' = any(e.fields)));
  return null;
end $$;
create trigger audit_placed after insert on catalog.attribute_set_attributes referencing new table as changed_rows
  for each statement execute function catalog.audit_placement();
create trigger audit_removed after delete on catalog.attribute_set_attributes referencing old table as changed_rows
  for each statement execute function catalog.audit_placement();
`;
