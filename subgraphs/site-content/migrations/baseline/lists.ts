import { OF_ORGANIZATION } from '../../../../platform/database/index.ts';

/** The lock that a transaction holds from its first revision to its commit. */
export const lockOf = (organization: string) => `pg_advisory_xact_lock(hashtextextended('site content of ' || ${organization}, 0))`;

/** The changes that pollers follow, and the sizes of lists. `noteChanges` makes the triggers of a list. */
export const lists = `
-- One row for each record of a list, also after its deletion: the feed that pollers follow.
create sequence site_content.revisions;
create table site_content.changes (
  record_id uuid primary key,
  ${OF_ORGANIZATION},
  list text not null,
  parent_id uuid not null,
  revision bigint not null,
  deleted boolean not null default false,
  -- Whether the record was ever published.
  was_published boolean not null,
  at timestamptz not null default now()
);
-- The feed of a list.
create unique index changes_feed on site_content.changes (parent_id, list, revision) include (record_id, deleted);
-- The feeds of all sites and of all workspaces of an organization.
create index changes_of_organization_lists on site_content.changes (organization_id, list, revision) where list in ('sites', 'workspaces');
-- The retention of deletions.
create index changes_deleted on site_content.changes (at) where deleted;
-- The foreign key.
create index changes_organization on site_content.changes (organization_id);

-- Deletions are forgotten after a time, and readers with an older cursor are refused. The newest deletion of each list that was forgotten.
create table site_content.pruned_changes (
  ${OF_ORGANIZATION},
  list text not null,
  parent_id uuid not null,
  revision bigint not null,
  primary key (parent_id, list)
);
-- The newest forgotten deletion of the sites or workspaces of an organization.
create index pruned_changes_of_organization on site_content.pruned_changes (organization_id, list, revision desc);

-- Sizes of lists by status, so that a page of a long list needs no count(*).
create table site_content.tallies (
  ${OF_ORGANIZATION},
  list text not null,
  parent_id uuid not null,
  status text not null,
  count bigint not null,
  primary key (parent_id, list, status)
);
-- The foreign key.
create index tallies_organization on site_content.tallies (organization_id);

-- Each transaction takes the lock of its organization before its first revision and holds it until the commit. Revisions are
-- therefore visible in their order, and a reader of revision N has seen every lower one.
create function site_content.note_changes() returns trigger language plpgsql as $$
  declare
    list text := tg_argv[0]; parent text := tg_argv[1]; parent_table text := tg_argv[2]; status text := tg_argv[3]; source text := tg_argv[4];
    owned text := 'exists (select 1 from identity.organizations o where o.id = c.organization_id)';
    known text := owned || format(' and exists (select 1 from %s p where p.id = c.%s)', parent_table, parent);
    -- The list of all sites of an organization reports the sites of a deleted workspace.
    reported text := case when list = 'sites' then owned else known end;
    rows_of text := case tg_op when 'DELETE' then 'removed' else 'added' end;
  begin
    execute format('select pg_advisory_xact_lock(hashtextextended(''site content of '' || organization_id, 0))
                      from (select distinct organization_id from %s) o', rows_of);
    if tg_op = 'DELETE' then
      -- The lists of a deleted parent end with it.
      delete from site_content.changes c where c.parent_id in (select id from removed) and c.list <> 'sites';
      delete from site_content.pruned_changes c where c.parent_id in (select id from removed) and c.list <> 'sites';
      delete from site_content.tallies where parent_id in (select id from removed);
    end if;
    execute format('insert into site_content.changes (record_id, organization_id, list, parent_id, revision, deleted, was_published)
                    select id, organization_id, %L, %s, nextval(''site_content.revisions''), %L, %s in ('''', ''published'') from %s c where %s
                    on conflict (record_id) do update set revision = excluded.revision, deleted = excluded.deleted, at = excluded.at,
                      was_published = changes.was_published or excluded.was_published',
                   list, parent, tg_op = 'DELETE', status, rows_of, reported);
    execute format('insert into site_content.tallies (organization_id, list, parent_id, status, count)
                    select organization_id, %L, %s, %s, sum(n) from (%s) c where %s group by 1, 3, 4 having sum(n) <> 0
                    on conflict (parent_id, list, status) do update set count = tallies.count + excluded.count',
                   list, parent, status, source, known);
    return null;
  end $$;
`;

interface ContentList {
  /** The column of the parent, and the table that it references. */
  parent: [column: string, table: string];
  /** Whether the list is counted by status. */
  hasStatus?: boolean;
}

/** Triggers that number the changes of a list and count its rows. */
export function noteChanges(table: string, { parent: [column, parentTable], hasStatus = false }: ContentList): string {
  const trigger = (event: string, referencing: string, source: string) =>
    `create trigger note_${event} after ${event} on site_content.${table} referencing ${referencing} for each statement
  execute function site_content.note_changes('${table}', '${column}', '${parentTable}', '${hasStatus ? 'status' : "''''"}', '${source}');`;
  return [
    trigger('insert', 'new table as added', 'select *, 1 as n from added'),
    trigger('update', 'old table as removed new table as added', 'select *, 1 as n from added union all select *, -1 from removed'),
    trigger('delete', 'old table as removed', 'select *, -1 as n from removed'),
  ].join('\n');
}
