import { Migration } from '@mikro-orm/migrations';

const OWNED =
  'id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred';
const OF_SITE = `${OWNED}, site_id uuid not null references site_content.sites on delete cascade`;
const VERSIONED =
  'version integer not null default 1, created_at timestamptz not null default now(), updated_at timestamptz not null default now()';
const PUBLISHED = `status text not null, published_at timestamptz, publish_at timestamptz,
  check ((status = 'published') = (published_at is not null)), check ((status = 'scheduled') = (publish_at is not null))`;

/** Tables with a list each: the name of the list, the column and the table of its parent, and the SQL of the status. */
const LISTS: [table: string, parent: string, parentTable: string, status: string][] = [
  ['workspaces', 'organization_id', 'identity.organizations', "''"],
  ['sites', 'workspace_id', 'site_content.workspaces', 'status'],
  ['members', 'workspace_id', 'site_content.workspaces', "''"],
  ['pages', 'site_id', 'site_content.sites', 'status'],
  ['forms', 'site_id', 'site_content.sites', "''"],
  ['submissions', 'form_id', 'site_content.forms', "''"],
  ['collections', 'site_id', 'site_content.sites', "''"],
  ['items', 'collection_id', 'site_content.collections', 'status'],
  ['authors', 'site_id', 'site_content.sites', "''"],
  ['categories', 'site_id', 'site_content.sites', "''"],
  ['posts', 'site_id', 'site_content.sites', 'status'],
];

const SOURCES = {
  insert: ['referencing new table as added', 'select *, 1 as n from added'],
  update: [
    'referencing old table as removed new table as added',
    'select *, 1 as n from added union all select *, -1 from removed',
  ],
  delete: ['referencing old table as removed', 'select *, -1 as n from removed'],
} as const;

const trigger = ([table, parent, parentTable, status]: (typeof LISTS)[number], event: keyof typeof SOURCES) => {
  const [referencing, source] = SOURCES[event];
  const values = [table, parent, parentTable, status, source].map((each) => `'${each.replaceAll("'", "''")}'`);
  return `create trigger note_${event} after ${event} on site_content.${table} ${referencing} for each statement
    execute function site_content.note_changes(${values.join(', ')});`;
};

export class Content extends Migration {
  override up(): void {
    this.addSql(`
      alter table site_content.sites add column version integer not null default 1;
      alter table site_content.workspaces add column version integer not null default 1;

      create table site_content.members (
        ${OWNED}, workspace_id uuid not null references site_content.workspaces on delete cascade, user_id uuid not null,
        role text not null check (role in ('owner', 'admin', 'member')), joined_at timestamptz not null default now(),
        constraint members_user unique (workspace_id, user_id),
        foreign key (organization_id, user_id) references identity.memberships (organization_id, user_id) on delete cascade
      );
      create index members_list on site_content.members (workspace_id, joined_at, id);
      create index members_of_user on site_content.members (organization_id, user_id);

      create table site_content.domains (
        ${OF_SITE}, domain varchar(253), subdomain varchar(63) not null, token text not null, verified_at timestamptz,
        ssl boolean not null default false,
        constraint domains_site unique (site_id), constraint domains_subdomain unique (subdomain)
      );
      -- Several sites may claim a domain, but only one can prove that it owns it.
      create unique index domains_verified on site_content.domains (domain) where verified_at is not null;

      create table site_content.pages (
        ${OF_SITE}, title varchar(255) not null, slug varchar(128) not null, path varchar(1024) not null, content text not null, seo jsonb not null,
        ${PUBLISHED}, ${VERSIONED}, constraint pages_path unique (site_id, path)
      );
      create index pages_by_status on site_content.pages (site_id, status, path, id);

      create table site_content.forms (
        ${OF_SITE}, name varchar(255) not null, fields jsonb not null, ${VERSIONED}, constraint forms_name unique (site_id, name)
      );

      create table site_content.submissions (
        ${OF_SITE}, form_id uuid not null references site_content.forms on delete cascade, page_id uuid, "values" jsonb not null,
        submitted_at timestamptz not null default now()
      );
      create index submissions_newest on site_content.submissions (form_id, submitted_at desc, id desc);
      create index submissions_of_site on site_content.submissions (site_id);

      create table site_content.collections (
        ${OF_SITE}, name varchar(255) not null, slug varchar(128) not null, fields jsonb not null,
        -- Types of former fields by name. Their values stay in the items, but are not shown.
        removed jsonb not null default '{}', ${VERSIONED},
        constraint collections_slug unique (site_id, slug)
      );
      create index collections_by_name on site_content.collections (site_id, name, id);

      create table site_content.items (
        ${OF_SITE}, collection_id uuid not null references site_content.collections on delete cascade, slug varchar(128) not null,
        fields jsonb not null, refs uuid[] not null default '{}', ${PUBLISHED}, ${VERSIONED},
        constraint items_slug unique (collection_id, slug)
      );
      create index items_newest on site_content.items (collection_id, created_at desc, id desc);
      create index items_by_status on site_content.items (collection_id, status, created_at desc, id desc);
      create index items_of_site on site_content.items (site_id);
      create index items_refs on site_content.items using gin (refs);

      create table site_content.authors (
        ${OF_SITE}, name varchar(255) not null, slug varchar(128) not null, bio text, avatar_url text, ${VERSIONED},
        constraint authors_slug unique (site_id, slug)
      );
      create index authors_by_name on site_content.authors (site_id, name, id);

      create table site_content.categories (
        ${OF_SITE}, name varchar(255) not null, slug varchar(128) not null, ${VERSIONED}, constraint categories_slug unique (site_id, slug)
      );
      create index categories_by_name on site_content.categories (site_id, name, id);

      create table site_content.posts (
        ${OF_SITE}, title varchar(255) not null, slug varchar(128) not null, excerpt text not null, content text not null,
        author_id uuid references site_content.authors, category_ids uuid[] not null default '{}', cover_image text,
        ${PUBLISHED}, ${VERSIONED}, constraint posts_slug unique (site_id, slug)
      );
      create index posts_newest on site_content.posts (site_id, created_at desc, id desc);
      create index posts_by_status on site_content.posts (site_id, status, created_at desc, id desc);
      create index posts_author on site_content.posts (author_id);
      create index posts_categories on site_content.posts using gin (category_ids);

      create index pages_due on site_content.pages (publish_at) where status = 'scheduled';
      create index items_due on site_content.items (publish_at) where status = 'scheduled';
      create index posts_due on site_content.posts (publish_at) where status = 'scheduled';

      -- The former paths and slugs of pages, items and posts. The parent is the site or the collection.
      create table site_content.redirects (
        ${OF_SITE}, parent_id uuid not null, kind text not null, address varchar(1024) not null, record_id uuid not null,
        created_at timestamptz not null default now(), constraint redirects_address unique (parent_id, kind, address)
      );
      create index redirects_record on site_content.redirects (record_id);
      create index redirects_of_site on site_content.redirects (site_id, kind, address, id);
    `);
    this.addSql(`
      -- One row for each record of a list, also after its deletion: the feed that pollers follow.
      create sequence site_content.revisions;
      create table site_content.changes (
        record_id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        list text not null, parent_id uuid not null, revision bigint not null, deleted boolean not null default false
      );
      create unique index changes_feed on site_content.changes (parent_id, list, revision) include (record_id, deleted);
      create index changes_organization on site_content.changes (organization_id);
      create index changes_of_organization_lists on site_content.changes (organization_id, list, revision) where list in ('sites', 'workspaces');

      -- Sizes of lists by status, so that a page of a long list needs no count(*).
      create table site_content.tallies (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        list text not null, parent_id uuid not null, status text not null, count bigint not null, primary key (parent_id, list, status)
      );
      create index tallies_organization on site_content.tallies (organization_id);

      -- Each transaction takes the lock of its organization before its first revision and holds it until the commit. Revisions are
      -- therefore visible in their order, and a reader of revision N has seen every lower one.
      create function site_content.note_changes() returns trigger language plpgsql as $$
        declare
          list text := tg_argv[0]; parent text := tg_argv[1]; parent_table text := tg_argv[2]; status text := tg_argv[3]; source text := tg_argv[4];
          known text := format('exists (select 1 from identity.organizations o where o.id = c.organization_id) and
                                exists (select 1 from %s p where p.id = c.%s)', parent_table, parent);
          rows_of text := case tg_op when 'DELETE' then 'removed' else 'added' end;
        begin
          execute format('select pg_advisory_xact_lock(hashtextextended(''site content of '' || organization_id, 0))
                            from (select distinct organization_id from %s) o', rows_of);
          if tg_op = 'DELETE' then
            -- The lists of a deleted parent end with it.
            delete from site_content.changes where parent_id in (select id from removed);
            delete from site_content.tallies where parent_id in (select id from removed);
          end if;
          execute format('insert into site_content.changes (record_id, organization_id, list, parent_id, revision, deleted)
                          select id, organization_id, %L, %s, nextval(''site_content.revisions''), %L from %s c where %s
                          on conflict (record_id) do update set revision = excluded.revision, deleted = excluded.deleted',
                         list, parent, tg_op = 'DELETE', rows_of, known);
          execute format('insert into site_content.tallies (organization_id, list, parent_id, status, count)
                          select organization_id, %L, %s, %s, sum(n) from (%s) c where %s group by 1, 3, 4 having sum(n) <> 0
                          on conflict (parent_id, list, status) do update set count = tallies.count + excluded.count',
                         list, parent, status, source, known);
          return null;
        end $$;
    `);
    const events = Object.keys(SOURCES) as (keyof typeof SOURCES)[];
    this.addSql(LISTS.flatMap((list) => events.map((event) => trigger(list, event))).join('\n'));
    this.addSql(`
      -- A post contains its author and categories, so it changes with them.
      create function site_content.touch_posts() returns trigger language plpgsql as $$ begin
        update site_content.posts set author_id = author_id where author_id = new.id;
        return null;
      end $$;
      create trigger touch_posts after update on site_content.authors for each row execute function site_content.touch_posts();
      create function site_content.touch_posts_of_category() returns trigger language plpgsql as $$ begin
        update site_content.posts set category_ids = case when tg_op = 'DELETE' then array_remove(category_ids, old.id) else category_ids end
         where category_ids @> array[old.id];
        return null;
      end $$;
      create trigger touch_posts after update or delete on site_content.categories for each row
        execute function site_content.touch_posts_of_category();

      -- The records from before this migration.
      insert into site_content.changes (record_id, organization_id, list, parent_id, revision)
      select id, organization_id, 'workspaces', organization_id, nextval('site_content.revisions') from site_content.workspaces;
      insert into site_content.changes (record_id, organization_id, list, parent_id, revision)
      select id, organization_id, 'sites', workspace_id, nextval('site_content.revisions') from site_content.sites;
      insert into site_content.tallies (organization_id, list, parent_id, status, count)
      select organization_id, 'workspaces', organization_id, '', count(*) from site_content.workspaces group by 1;
      insert into site_content.tallies (organization_id, list, parent_id, status, count)
      select organization_id, 'sites', workspace_id, status, count(*) from site_content.sites group by 1, 3, 4;
    `);
  }
}
