import { byteCountTriggers } from '../../../database/index.ts';

/** The queue of messages to the workers, the answers to repeated requests, and rate limits. */
export const requests = `
-- Messages to the worker process, written in the transaction of the record that they concern.
create table identity.outbox (
  id bigint generated always as identity primary key,
  topic text not null,
  payload jsonb not null,
  -- The trace of the request, which the workflow that it starts continues.
  trace text,
  due_at timestamptz not null default now(),
  attempts integer not null default 0,
  created_at timestamptz not null default now()
);
-- The next messages.
create index outbox_due on identity.outbox (due_at);
-- The message of a job, in an outbox that grew while Temporal was down.
create index outbox_job on identity.outbox ((payload ->> 'jobId'));
create function identity.outbox_filled() returns trigger language plpgsql as $$ begin notify outbox; return null; end $$;
create trigger filled after insert on identity.outbox for each statement execute function identity.outbox_filled();

-- The stored answers to an Idempotency-Key.
create table identity.idempotency_keys (
  hash bytea primary key,
  -- Null for a request without an organization.
  organization_id uuid references identity.organizations on delete cascade deferrable initially deferred,
  request bytea not null,
  result bytea,
  holder uuid not null, leased_until timestamptz,
  created_at timestamptz not null default now()
);
-- The retention.
create index idempotency_keys_age on identity.idempotency_keys (created_at);
-- The foreign key.
create index idempotency_keys_organization on identity.idempotency_keys (organization_id);
-- Short answers, such as those of deletions, are never refused.
${byteCountTriggers({
  table: 'identity.idempotency_keys',
  bytes: '200 + coalesce(octet_length(r.result), 0)',
  refuses: false,
  updates: 'octet_length(r.result) > 10000',
})}

create unlogged table identity.rate_limits (key varchar(255) primary key, points integer not null default 0, expire bigint);
`;
