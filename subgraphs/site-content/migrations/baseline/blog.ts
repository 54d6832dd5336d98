import { byteCountTriggers, textBytes } from '../../../../platform/database/index.ts';
import { createPageIndex } from '../../../../platform/lists/index.ts';
import { OF_SITE, PUBLISHED, STATUSES, scheduleIndexes, VERSIONED } from './columns.ts';
import { lockOf, noteChanges } from './lists.ts';

/** Numbers a change of each post `p` that meets a condition. */
const notePosts = (condition: string) => `
  perform ${lockOf('old.organization_id')};
  -- Numbering a million changes takes half a minute. Their readers read the list again instead.
  if (select count(*) from (select from site_content.posts p where ${condition} limit 10001) shown) > 10000 then
    insert into site_content.pruned_changes (organization_id, list, parent_id, revision)
    select old.organization_id, 'posts', old.site_id, nextval('site_content.revisions')
     where exists (select from site_content.sites where id = old.site_id)
    on conflict (parent_id, list) do update set revision = excluded.revision;
    return null;
  end if;
  update site_content.changes c set revision = nextval('site_content.revisions'), at = now()
    from site_content.posts p where ${condition} and c.record_id = p.id;
  return null;`;

/** Posts with their authors and categories. */
export const blog = `
create table site_content.authors (
  ${OF_SITE},
  name varchar(255) not null,
  slug varchar(128) not null,
  bio text, avatar_url text,
  ${VERSIONED},
  constraint authors_slug unique (site_id, slug)
);
-- The list by name.
create index authors_by_name on site_content.authors (organization_id, site_id, name, id);
${noteChanges('authors', { parent: ['site_id', 'site_content.sites'] })}
${byteCountTriggers({ table: 'site_content.authors', bytes: `300 + ${textBytes('bio')}`, updates: 'true' })}

create table site_content.categories (
  ${OF_SITE},
  name varchar(255) not null,
  slug varchar(128) not null,
  ${VERSIONED},
  constraint categories_slug unique (site_id, slug)
);
-- The list by name.
create index categories_by_name on site_content.categories (organization_id, site_id, name, id);
${noteChanges('categories', { parent: ['site_id', 'site_content.sites'] })}

create table site_content.posts (
  ${OF_SITE},
  title varchar(255) not null,
  slug varchar(128) not null,
  excerpt text not null, content text not null,
  author_id uuid references site_content.authors,
  -- The ids of deleted categories stay in the posts.
  category_ids uuid[] not null default '{}',
  cover_image text,
  ${PUBLISHED},
  ${VERSIONED},
  constraint posts_slug unique (site_id, slug)
);
-- The list, newest first: all, or in a state.
create index posts_newest on site_content.posts (site_id, created_at desc, id desc);
create index posts_by_status on site_content.posts (organization_id, site_id, status, created_at desc, id desc);
-- The posts of an author, and of a category.
create index posts_author on site_content.posts (author_id);
create index posts_categories on site_content.posts using gin (category_ids);
${scheduleIndexes('posts')}
${noteChanges('posts', { parent: ['site_id', 'site_content.sites'], hasStatus: true })}
-- The triggers of page indexes come after those that take the lock of the content of an organization.
${createPageIndex({
  index: 'site_content.posts_page_index',
  table: 'site_content.posts',
  list: 'site_id',
  parent: 'site_content.sites',
  sorts: { created_at: { time: true } },
  classes: STATUSES,
  triggers: 'page_index',
})}
${byteCountTriggers({ table: 'site_content.posts', bytes: `400 + ${textBytes('title', 'excerpt', 'content')}`, updates: 'true' })}

-- A post contains its author and categories, so it changes with them, without a write of the post.
create function site_content.touch_posts() returns trigger language plpgsql as $$ begin
  ${notePosts('p.author_id = old.id')}
end $$;
create trigger touch_posts after update on site_content.authors for each row execute function site_content.touch_posts();
create function site_content.touch_posts_of_category() returns trigger language plpgsql as $$ begin
  ${notePosts('p.category_ids @> array[old.id]')}
end $$;
create trigger touch_posts after update or delete on site_content.categories for each row
  execute function site_content.touch_posts_of_category();
`;
