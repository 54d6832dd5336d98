import { Migration } from '@mikro-orm/migrations';

export class Replays extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhooks.subscriptions
        add disabled_at timestamptz, add sequence integer not null default 0, add watched_until timestamptz;

      -- Null for attempts of earlier versions, which no subscriber receives.
      alter table webhooks.attempts add subscription_id uuid, add sequence integer;
      create index attempts_sequence on webhooks.attempts (subscription_id, sequence);

      create function webhooks.subscription_deleted() returns trigger language plpgsql as $$
      begin perform pg_notify('webhook_attempts', old.id::text); return null; end $$;
      create trigger subscription_deleted after delete on webhooks.subscriptions
        for each row execute function webhooks.subscription_deleted();

      create table webhooks.replays (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        subscription_id uuid not null references webhooks.subscriptions on delete cascade,
        statuses text[] not null, "from" timestamptz not null, "to" timestamptz not null,
        status text not null default 'running', total integer not null, scheduled integer not null default 0,
        -- The last delivery that was scheduled.
        cursor_time timestamptz, cursor_id uuid, advanced_at timestamptz not null default now(),
        created_at timestamptz not null default now(), ended_at timestamptz
      );
      create unique index replays_running on webhooks.replays (subscription_id) where ended_at is null;
      create index replays_subscription on webhooks.replays (subscription_id);
      create index replays_organization on webhooks.replays (organization_id);
    `);
  }
}
