import { Migration } from '@mikro-orm/migrations';
import { OWNED } from '../../database/index.ts';

/** Subscriptions of URLs to events, and the deliveries of the events. */
export class WebhooksBaseline extends Migration {
  override up(): void {
    this.addSql(`create schema webhooks; ${subscriptions} ${deliveries} ${attempts}`);
  }
}

const subscriptions = `
create table webhooks.subscriptions (
  ${OWNED},
  surface text not null,
  -- Limits the subscription to events of this record (agent or workspace); null means all.
  about_id uuid,
  name varchar(255),
  url text not null, method text not null default 'post',
  events text[] not null,
  enabled boolean not null default true,
  -- When failures last disabled the subscription.
  disabled_at timestamptz,
  failure_count integer not null default 0,
  secret bytea,
  -- Signs too, until it expires.
  previous_secret bytea, previous_secret_expires_at timestamptz,
  -- The number of the last attempt.
  sequence integer not null default 0,
  -- Until then, somebody follows the attempts, so they notify.
  watched_until timestamptz,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now()
);
-- The subscriptions of a surface, newest first.
create index subscriptions_newest on webhooks.subscriptions (organization_id, surface, created_at desc, id desc);
-- The subscriptions to the events of one record.
create index subscriptions_about on webhooks.subscriptions (about_id) where about_id is not null;

-- Whether an event would have a delivery: the condition of the emission, for statements that only then do more.
create function webhooks.is_subscribed(organization uuid, named text, about uuid) returns boolean language sql stable as $$
  select exists (select from webhooks.subscriptions
                  where organization_id = organization and (enabled or disabled_at > now() - interval '30 days')
                    and named = any(events) and (about_id is null or about_id = about))
$$;

create trigger audit after insert or delete or update of url, method, events, enabled, secret, about_id, name on webhooks.subscriptions
  for each row execute function identity.audit('webhook', 'id', 'organization_id', 'updated_at', 'failure_count', 'disabled_at',
                                               'sequence', 'watched_until', 'previous_secret', 'previous_secret_expires_at');

-- Ends the streams of those who follow the attempts.
create function webhooks.subscription_deleted() returns trigger language plpgsql as $$
begin perform pg_notify('webhook_attempts', old.id::text); return null; end $$;
create trigger subscription_deleted after delete on webhooks.subscriptions
  for each row execute function webhooks.subscription_deleted();
`;

const deliveries = `
-- An event, stored once. Deliveries refer to it, and the last one takes it along.
create table webhooks.events (
  ${OWNED},
  event text not null,
  about_id uuid,
  occurred_at timestamptz not null,
  payload text not null
);
-- The foreign key.
create index events_organization on webhooks.events (organization_id);

create table webhooks.deliveries (
  ${OWNED},
  -- Checked at once, because a refusal at the commit would look like a fault.
  subscription_id uuid not null references webhooks.subscriptions on delete cascade,
  event text not null,
  event_id uuid not null references webhooks.events on delete cascade,
  -- The record of a person that the event is about, so that an erasure finds its deliveries.
  record_id uuid,
  -- The trace of the event, which the attempts continue.
  trace text,
  status text not null default 'pending',
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  leased_by uuid, leased_until timestamptz,
  -- The leases that expired without a result, so that a delivery does not end one process after the other.
  losses integer not null default 0,
  response_status integer, last_error text,
  created_at timestamptz not null default now()
);
-- The delivery log. It counts up to 10,000 deliveries for a page, and with the organization, the count reads only the index.
create index deliveries_of_subscription on webhooks.deliveries (subscription_id, created_at desc, id desc) include (organization_id);
create index deliveries_of_status on webhooks.deliveries (subscription_id, status, created_at desc, id desc) include (organization_id);
-- The claim of deliveries that are due.
create index deliveries_open on webhooks.deliveries (subscription_id, next_attempt_at) where next_attempt_at is not null;
-- The deliveries of a lease.
create index deliveries_in_hand on webhooks.deliveries (leased_by) where leased_by is not null;
-- The retention of ended deliveries.
create index deliveries_age on webhooks.deliveries (created_at) where next_attempt_at is null;
-- The erasure of a record.
create index deliveries_record on webhooks.deliveries (record_id) where record_id is not null;
-- The other deliveries of an event.
create index deliveries_event on webhooks.deliveries (event_id);
-- The foreign key.
create index deliveries_organization on webhooks.deliveries (organization_id);

-- The lock makes a transaction that deletes other deliveries of an event wait, so that the last one sees that none is left. Organizations
-- share 1,024 locks, because a retention deletes deliveries of many, and the locks of all transactions have a limit.
create function webhooks.drop_events() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('webhook events'), o.lock)
     from (select distinct hashtext(organization_id::text) & 1023 as lock from gone order by 1) o;
  delete from webhooks.events e using (select distinct event_id from gone) g
   where e.id = g.event_id and not exists (select from webhooks.deliveries d where d.event_id = e.id);
  return null;
end $$;
create trigger drop_events after delete on webhooks.deliveries referencing old table as gone
  for each statement execute function webhooks.drop_events();
`;

const attempts = `
create table webhooks.attempts (
  ${OWNED},
  delivery_id uuid not null references webhooks.deliveries on delete cascade,
  subscription_id uuid not null,
  -- Number among the attempts of the subscription, in the order of their commits.
  sequence integer not null,
  number integer not null,
  response_status integer, response_snippet text, error text,
  duration_ms integer not null,
  at timestamptz not null default now()
);
-- The attempts of a delivery.
create index attempts_delivery on webhooks.attempts (delivery_id, at);
-- The attempts that a subscriber has not seen.
create index attempts_sequence on webhooks.attempts (subscription_id, sequence);
-- The foreign key.
create index attempts_organization on webhooks.attempts (organization_id);

-- Schedules the deliveries of a period again, in the background.
create table webhooks.replays (
  ${OWNED},
  subscription_id uuid not null references webhooks.subscriptions on delete cascade,
  statuses text[] not null,
  "from" timestamptz not null, "to" timestamptz not null,
  status text not null default 'running',
  total integer not null, scheduled integer not null default 0,
  -- The last delivery that was scheduled.
  cursor_time timestamptz, cursor_id uuid,
  advanced_at timestamptz not null default now(),
  created_at timestamptz not null default now(), ended_at timestamptz
);
-- A subscription has one running replay.
create unique index replays_running on webhooks.replays (subscription_id) where ended_at is null;
-- The foreign keys.
create index replays_subscription on webhooks.replays (subscription_id);
create index replays_organization on webhooks.replays (organization_id);
`;
