import { Migration } from '@mikro-orm/migrations';

/**
 * Notifies only of changes that a process follows. A commit with a notification holds a lock of the whole server until its WAL is on disk.
 * If every item notified, the commits of all jobs would run one after the other.
 */
export class WatchedChanges extends Migration {
  override up(): void {
    this.addSql(`
      set local lock_timeout = '5s';
      -- Processes of the earlier version watch nothing, so everything of an existing installation notifies for a week, in which they may run.
      do $$
      declare until timestamptz := case when exists (select from catalog.jobs) then now() + interval '7 days' end;
      begin
        execute format('alter table catalog.jobs add column watched_until timestamptz default %L', until);
        execute format('alter table catalog.organization_sequences add column watched_until timestamptz default %L', until);
      end $$;

      -- The transaction has changed the sequence of the job, so it holds its row.
      create or replace function catalog.job_changed() returns trigger language plpgsql as $$
      begin
        perform pg_notify('job_changes', id::text) from catalog.jobs where id = new.job_id and watched_until > clock_timestamp();
        return null;
      end $$;

      create or replace function catalog.append_organization_change(organization uuid, job uuid) returns void language plpgsql as $$
      declare taken bigint; watched boolean;
      begin
        insert into catalog.organization_sequences as s (organization_id, sequence, tx)
        select id, 1, pg_current_xact_id() from identity.organizations where id = organization
        on conflict (organization_id) do update set sequence = s.sequence + 1, tx = excluded.tx where job is not null or s.tx <> excluded.tx
        returning sequence, watched_until > clock_timestamp() into taken, watched;
        if taken is null then return; end if;
        insert into catalog.organization_changes (organization_id, sequence, job_id) values (organization, taken, job);
        if watched then perform pg_notify('organization_changes', organization::text); end if;
      end $$;
    `);
  }
}
