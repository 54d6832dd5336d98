import { buildIndex, OnlineMigration } from './online.ts';

const EVENTS = `
  begin;
  set local lock_timeout = '5s';
  create table if not exists webhooks.events (
    id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
    event text not null, about_id uuid, occurred_at timestamptz not null, payload text not null
  );
  create index if not exists events_organization on webhooks.events (organization_id);
  alter table webhooks.deliveries add column if not exists event_id uuid references webhooks.events on delete cascade,
    add column if not exists bytes integer, alter column body drop not null;

  -- Processes of the version before name their leases by UUIDs of version 4, and would send these deliveries without a body.
  create or replace function webhooks.refuse_lease() returns trigger language plpgsql as $$ begin return null; end $$;
  create or replace trigger refuse_lease before update of leased_by on webhooks.deliveries for each row
    when (new.event_id is not null and new.leased_by is distinct from old.leased_by and substr(new.leased_by::text, 15, 1) = '4')
    execute function webhooks.refuse_lease();
  commit;
`;

const RETENTION = `
  begin;
  set local lock_timeout = '5s';
  -- The lock makes a transaction that deletes other deliveries of an event wait, so that the last one sees that none is left. Organizations
  -- share 1,024 locks, because a retention deletes deliveries of many, and the locks of all transactions have a limit.
  create or replace function webhooks.drop_events() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtext('webhook events'), o.lock)
       from (select distinct hashtext(organization_id::text) & 1023 as lock from gone where event_id is not null order by 1) o;
    delete from webhooks.events e using (select distinct event_id from gone) g
     where e.id = g.event_id and not exists (select from webhooks.deliveries d where d.event_id = e.id);
    return null;
  end $$;
  create or replace trigger drop_events after delete on webhooks.deliveries referencing old table as gone
    for each statement execute function webhooks.drop_events();
  commit;
`;

/** Stores an event once. Deliveries refer to it; those of before keep their own bodies. The last delivery of an event takes it along. */
export class WebhookEvents extends OnlineMigration {
  protected readonly statements = [
    EVENTS,
    ...buildIndex('webhooks.deliveries_event', 'webhooks.deliveries (event_id) where event_id is not null'),
    RETENTION,
  ];
}
