import { Migration } from '@mikro-orm/migrations';

export class Webhooks extends Migration {
  override up(): void {
    this.addSql(`
      create schema if not exists webhooks;

      create table webhooks.subscriptions (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        surface text not null, url text not null, method text not null default 'post', events text[] not null,
        enabled boolean not null default true, secret bytea, about_id uuid, failure_count integer not null default 0,
        created_at timestamptz not null default now(), updated_at timestamptz not null default now()
      );
      create index subscriptions_newest on webhooks.subscriptions (organization_id, surface, created_at desc, id desc);

      create table webhooks.deliveries (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        -- Checked at once: what only the commit refuses cannot be told from a fault.
        subscription_id uuid not null references webhooks.subscriptions on delete cascade,
        event text not null, body text not null, status text not null default 'pending', attempts integer not null default 0,
        next_attempt_at timestamptz, leased_by uuid, leased_until timestamptz, response_status integer, last_error text,
        created_at timestamptz not null default now()
      );
      create index deliveries_newest on webhooks.deliveries (subscription_id, created_at desc, id desc);
      create index deliveries_open on webhooks.deliveries (subscription_id, next_attempt_at) where next_attempt_at is not null;
      create index deliveries_in_hand on webhooks.deliveries (leased_by) where leased_by is not null;
      create index deliveries_age on webhooks.deliveries (created_at) where next_attempt_at is null;
      create index deliveries_organization on webhooks.deliveries (organization_id);

      create table webhooks.attempts (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        delivery_id uuid not null references webhooks.deliveries on delete cascade, number integer not null,
        response_status integer, response_snippet text, error text, duration_ms integer not null, at timestamptz not null default now()
      );
      create index attempts_delivery on webhooks.attempts (delivery_id, at);
      create index attempts_organization on webhooks.attempts (organization_id);
    `);
  }
}
