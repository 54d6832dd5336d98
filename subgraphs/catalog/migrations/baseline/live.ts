import { OF_ORGANIZATION } from '../../../../platform/database/index.ts';

/**
 * The numbered changes that subscribers follow: those of each job, and those of everything in an organization.
 *
 * They notify only of changes that a process follows. A commit with a notification holds a lock of the whole server until its WAL is on disk.
 * If every item notified, the commits of all jobs would run one after the other.
 */
export const live = `
-- Partitioned by weeks, which are dropped, because deletions could not follow the growth of the log.
create table catalog.job_changes (
  job_id uuid not null references catalog.jobs on delete cascade deferrable initially deferred,
  sequence bigint not null,
  status text not null,
  processed_count integer not null, success_count integer not null, failed_count integer not null,
  item_ids uuid[] not null default '{}',
  at timestamptz not null default clock_timestamp(),
  primary key (job_id, sequence, at)
) partition by range (at);
create table catalog.job_changes_default partition of catalog.job_changes default;

-- The transaction has changed the sequence of the job, so it holds its row.
create function catalog.job_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('job_changes', id::text) from catalog.jobs where id = new.job_id and watched_until > clock_timestamp();
  return null;
end $$;
create trigger changed after insert on catalog.job_changes for each row execute function catalog.job_changed();

create table catalog.organization_sequences (
  organization_id uuid primary key references identity.organizations on delete cascade deferrable initially deferred,
  sequence bigint not null,
  tx xid8 not null,
  watched_until timestamptz
) with (fillfactor = 50);
-- A change without a job is one of credits or reviews. Partitioned as the changes of jobs.
create table catalog.organization_changes (
  ${OF_ORGANIZATION},
  sequence bigint not null,
  job_id uuid,
  at timestamptz not null default clock_timestamp(),
  primary key (organization_id, sequence, at)
) partition by range (at);
create table catalog.organization_changes_default partition of catalog.organization_changes default;

-- The lock on the sequence makes numbers visible in order. It is the last lock of a transaction, so it is short and cannot deadlock.
create function catalog.append_organization_change(organization uuid, job uuid) returns void language plpgsql as $$
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

create function catalog.job_change_appended() returns trigger language plpgsql as $$
begin
  perform catalog.append_organization_change((select organization_id from catalog.jobs where id = new.job_id), new.job_id);
  return null;
end $$;
create constraint trigger appended after insert on catalog.job_changes deferrable initially deferred
  for each row execute function catalog.job_change_appended();

create function catalog.organization_changed() returns trigger language plpgsql as $$
begin
  perform catalog.append_organization_change(new.organization_id, null);
  return null;
end $$;
create constraint trigger decided after update of verdict on catalog.proposals deferrable initially deferred
  for each row when (old.verdict is distinct from new.verdict) execute function catalog.organization_changed();
-- Jobs announce their charges when items end.
create constraint trigger credits_moved after insert on identity.credit_entries deferrable initially deferred
  for each row when (new.reference !~ '^(refund:)?item:') execute function catalog.organization_changed();

-- The first partition lasts for some weeks. A sweep adds the next ones in time; these let it fail for a month.
do $$
declare
  parent text;
begin
  foreach parent in array array['catalog.job_changes', 'catalog.organization_changes'] loop
    execute format('create table %s_first partition of %1$s for values from (minvalue) to (%L)', parent,
                   date_trunc('week', now(), 'UTC') + interval '5 weeks');
    while identity.add_partition(parent, now() + interval '8 weeks') loop end loop;
  end loop;
end $$;
`;
