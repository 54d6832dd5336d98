import { Migration } from '@mikro-orm/migrations';

export class OrganizationChanges extends Migration {
  override up(): void {
    this.addSql(`
      create table catalog.organization_sequences (
        organization_id uuid primary key references identity.organizations on delete cascade deferrable initially deferred,
        sequence bigint not null, tx xid8 not null
      ) with (fillfactor = 50);
      -- The numbered changes of everything in an organization that subscribers follow. A change without a job is one of credits or reviews.
      create table catalog.organization_changes (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        sequence bigint not null, job_id uuid, at timestamptz not null default clock_timestamp(), primary key (organization_id, sequence)
      );
      create index organization_changes_age on catalog.organization_changes (at);

      -- The lock on the sequence makes numbers visible in order. It is the last lock of a transaction, so it is short and cannot deadlock.
      create function catalog.append_organization_change(organization uuid, job uuid) returns void language plpgsql as $$
      declare taken bigint;
      begin
        insert into catalog.organization_sequences as s (organization_id, sequence, tx)
        select id, 1, pg_current_xact_id() from identity.organizations where id = organization
        on conflict (organization_id) do update set sequence = s.sequence + 1, tx = excluded.tx where job is not null or s.tx <> excluded.tx
        returning sequence into taken;
        if taken is null then return; end if;
        insert into catalog.organization_changes (organization_id, sequence, job_id) values (organization, taken, job);
        perform pg_notify('organization_changes', organization::text);
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
    `);
  }
}
