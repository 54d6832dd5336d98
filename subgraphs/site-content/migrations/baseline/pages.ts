import { byteCountTriggers, jsonBytes, rowCountTriggers, textBytes } from '../../../../platform/database/index.ts';
import { createPageIndex } from '../../../../platform/lists/index.ts';
import { OF_SITE, PUBLISHED, STATUSES, scheduleIndexes, VERSIONED } from './columns.ts';
import { noteChanges } from './lists.ts';

/** The pages of a site. */
export const pages = `
create table site_content.pages (
  ${OF_SITE},
  title varchar(255) not null,
  slug varchar(128) not null, path varchar(1024) not null,
  content text not null,
  seo jsonb not null,
  ${PUBLISHED},
  ${VERSIONED},
  constraint pages_path unique (site_id, path)
);
-- The list in a state, by path.
create index pages_by_status on site_content.pages (organization_id, site_id, status, path, id);
${scheduleIndexes('pages')}
${noteChanges('pages', { parent: ['site_id', 'site_content.sites'], hasStatus: true })}
${createPageIndex({
  index: 'site_content.pages_page_index',
  table: 'site_content.pages',
  list: 'site_id',
  parent: 'site_content.sites',
  sorts: { path: {} },
  classes: STATUSES,
  triggers: 'page_index',
})}
${byteCountTriggers({ table: 'site_content.pages', bytes: `400 + ${textBytes('title', 'content')} + ${jsonBytes('seo')}`, updates: 'true' })}
`;

/** Forms and their submissions. */
export const forms = `
create table site_content.forms (
  ${OF_SITE},
  name varchar(255) not null,
  fields jsonb not null,
  ${VERSIONED},
  constraint forms_name unique (site_id, name)
);
-- The foreign key.
create index forms_organization on site_content.forms (organization_id);
${noteChanges('forms', { parent: ['site_id', 'site_content.sites'] })}
${byteCountTriggers({ table: 'site_content.forms', bytes: `300 + ${jsonBytes('fields')}`, updates: 'true' })}

create table site_content.submissions (
  ${OF_SITE},
  form_id uuid not null references site_content.forms on delete cascade,
  page_id uuid,
  "values" jsonb not null,
  submitted_at timestamptz not null default now()
);
-- The list, newest first.
create index submissions_newest on site_content.submissions (form_id, submitted_at desc, id desc);
-- The foreign keys.
create index submissions_of_site on site_content.submissions (site_id);
create index submissions_organization on site_content.submissions (organization_id);
${noteChanges('submissions', { parent: ['form_id', 'site_content.forms'] })}
${createPageIndex({
  index: 'site_content.submissions_page_index',
  table: 'site_content.submissions',
  list: 'form_id',
  parent: 'site_content.forms',
  sorts: { submitted_at: { time: true } },
  classes: { received: 'true' },
  triggers: 'page_index',
})}
${byteCountTriggers({ table: 'site_content.submissions', bytes: `200 + ${jsonBytes('values')}` })}
`;

const isPublished = (redirect: string) => `
    case ${redirect}.kind
      when 'page' then exists (select from site_content.pages p where p.id = ${redirect}.record_id and p.status = 'published')
      when 'item' then exists (select from site_content.items i where i.id = ${redirect}.record_id and i.status = 'published')
      else exists (select from site_content.posts o where o.id = ${redirect}.record_id and o.status = 'published') end`;

/** The former addresses of pages, items and posts. */
export const redirects = `
-- The parent is the site or the collection. Readers see the redirects of published records, so a redirect knows whether its record is published.
create table site_content.redirects (
  ${OF_SITE},
  parent_id uuid not null,
  kind text not null,
  address varchar(1024) not null,
  record_id uuid not null,
  published boolean not null default false,
  created_at timestamptz not null default now(),
  constraint redirects_address unique (parent_id, kind, address)
);
-- The foreign key.
create index redirects_organization on site_content.redirects (organization_id);
-- The former addresses of a record.
create index redirects_record on site_content.redirects (record_id);
-- The list of a site: all, and those that readers see.
create index redirects_of_site on site_content.redirects (site_id, kind, address, id);
create index redirects_published on site_content.redirects (site_id, kind, address, id) where published;

create function site_content.set_redirect_published() returns trigger language plpgsql as $$ begin
  new.published := ${isPublished('new')};
  return new;
end $$;
create trigger set_published before insert or update of record_id on site_content.redirects for each row
  execute function site_content.set_redirect_published();

create function site_content.note_redirects() returns trigger language plpgsql as $$ begin
  update site_content.redirects set published = new.status = 'published' where record_id = new.id;
  return null;
end $$;
${['pages', 'items', 'posts']
  .map(
    (table) => `
create trigger note_redirects after update of status on site_content.${table} for each row
  when ((old.status = 'published') <> (new.status = 'published')) execute function site_content.note_redirects();`,
  )
  .join('')}
${rowCountTriggers({ table: 'site_content.redirects', list: 'redirects', by: ['site_id', 'published'] })}
${byteCountTriggers({ table: 'site_content.redirects', bytes: '250', refuses: false })}
`;
