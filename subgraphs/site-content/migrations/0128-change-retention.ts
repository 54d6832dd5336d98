import { Migration } from '@mikro-orm/migrations';

/** Deletions are forgotten after a time, and readers with an older cursor are refused. Deleted sites outlive their workspace in the feed. */
export class ChangeRetention extends Migration {
  override up(): void {
    this.addSql(`
      alter table site_content.changes add column at timestamptz not null default now();
      create index changes_deleted on site_content.changes (at) where deleted;

      -- The newest deletion of each list that was forgotten.
      create table site_content.pruned_changes (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        list text not null, parent_id uuid not null, revision bigint not null, primary key (parent_id, list)
      );
      create index pruned_changes_of_organization on site_content.pruned_changes (organization_id, list, revision desc);

      create or replace function site_content.note_changes() returns trigger language plpgsql as $$
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
    `);
  }
}
