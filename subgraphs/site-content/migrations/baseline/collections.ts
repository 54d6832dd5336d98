import { byteCountTriggers, jsonBytes } from '../../../../platform/database/index.ts';
import { createPageIndex } from '../../../../platform/lists/index.ts';
import { OF_SITE, PUBLISHED, STATUSES, scheduleIndexes, VERSIONED } from './columns.ts';
import { lockOf, noteChanges } from './lists.ts';

/** Collections of items with fields. */
export const collections = `
create table site_content.collections (
  ${OF_SITE},
  name varchar(255) not null,
  slug varchar(128) not null,
  fields jsonb not null,
  -- Types of former fields by name. Their values stay in the items, but are not shown.
  removed jsonb not null default '{}',
  ${VERSIONED},
  constraint collections_slug unique (site_id, slug)
);
-- The list by name.
create index collections_by_name on site_content.collections (organization_id, site_id, name, id);
${noteChanges('collections', { parent: ['site_id', 'site_content.sites'] })}
${byteCountTriggers({ table: 'site_content.collections', bytes: `300 + ${jsonBytes('fields', 'removed')}`, updates: 'true' })}

create table site_content.items (
  ${OF_SITE},
  collection_id uuid not null references site_content.collections on delete cascade,
  slug varchar(128) not null,
  fields jsonb not null,
  refs uuid[] not null default '{}',
  ${PUBLISHED},
  ${VERSIONED},
  constraint items_slug unique (collection_id, slug)
);
-- The list, newest first: all, or in a state.
create index items_newest on site_content.items (collection_id, created_at desc, id desc);
create index items_by_status on site_content.items (organization_id, collection_id, status, created_at desc, id desc);
-- The foreign key.
create index items_of_site on site_content.items (site_id);
-- The items that refer to a record.
create index items_refs on site_content.items using gin (refs);
${scheduleIndexes('items')}
${noteChanges('items', { parent: ['collection_id', 'site_content.collections'], hasStatus: true })}
${createPageIndex({
  index: 'site_content.items_page_index',
  table: 'site_content.items',
  list: 'collection_id',
  parent: 'site_content.collections',
  sorts: { created_at: { time: true } },
  classes: STATUSES,
  triggers: 'page_index',
})}
${byteCountTriggers({ table: 'site_content.items', bytes: `400 + ${jsonBytes('fields')}`, updates: 'true' })}

-- An item shows the fields of its collection, so it changes with them.
create function site_content.note_shown_fields() returns trigger language plpgsql as $$
  declare
    before text[] := array(select jsonb_object_keys(old.removed));
    after text[] := array(select jsonb_object_keys(new.removed));
    names text[] := array(select name from unnest(before || after) name where not (name = any(before) and name = any(after)));
  begin
    perform ${lockOf('new.organization_id')};
    -- Numbering a million changes takes half a minute. Their readers read the list again instead.
    if (select sum(count) from site_content.tallies where list = 'items' and parent_id = new.id) > 10000 then
      insert into site_content.pruned_changes (organization_id, list, parent_id, revision)
      values (new.organization_id, 'items', new.id, nextval('site_content.revisions'))
      on conflict (parent_id, list) do update set revision = excluded.revision;
      return null;
    end if;
    update site_content.changes c set revision = nextval('site_content.revisions'), at = now()
      from site_content.items i
     where i.collection_id = new.id and jsonb_exists_any(i.fields, names) and c.record_id = i.id;
    return null;
  end $$;
create trigger note_shown_fields after update on site_content.collections for each row
  when (old.removed is distinct from new.removed) execute function site_content.note_shown_fields();
`;
