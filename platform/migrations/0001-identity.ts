import { Migration } from '@mikro-orm/migrations';

export class Identity extends Migration {
  override up(): void {
    this.addSql(`
      create extension if not exists pg_trgm;
      create schema if not exists identity;

      create table identity.users (
        id uuid primary key, email varchar(320) not null unique, name varchar(255) not null, created_at timestamptz not null default now()
      );
      create table identity.organizations (
        id uuid primary key, slug varchar(64) not null unique, name varchar(255) not null, plan text not null default 'free',
        modules text[] not null default '{}', credits numeric(16,4) not null default 0, created_at timestamptz not null default now()
      );
      create table identity.memberships (
        organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        user_id uuid not null references identity.users on delete cascade deferrable initially deferred,
        role text not null check (role in ('owner', 'admin', 'member')), joined_at timestamptz not null default now(),
        primary key (organization_id, user_id)
      );
      create index memberships_user on identity.memberships (user_id);
      create table identity.api_keys (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        user_id uuid not null references identity.users on delete cascade deferrable initially deferred, name varchar(255) not null, prefix varchar(16) not null,
        hash bytea not null unique, expires_at timestamptz, disabled_at timestamptz, revoked_at timestamptz,
        created_at timestamptz not null default now()
      );
      create index api_keys_organization on identity.api_keys (organization_id, created_at desc);
      create table identity.credit_entries (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        amount numeric(16,4) not null, reason varchar(255) not null, reference varchar(128) not null,
        created_at timestamptz not null default now(), unique (organization_id, reference)
      );
      create index credit_entries_newest on identity.credit_entries (organization_id, created_at desc, id desc);
      create unlogged table identity.rate_limits (key varchar(255) primary key, points integer not null default 0, expire bigint);

      create function identity.changed() returns trigger language plpgsql as $$ begin notify identity; return null; end $$;
      create trigger changed after update or delete on identity.users for each statement execute function identity.changed();
      create trigger changed after insert or update or delete on identity.memberships for each statement execute function identity.changed();
      create trigger changed after insert or update or delete on identity.api_keys for each statement execute function identity.changed();
      create trigger changed after update of slug, name, plan, modules or delete on identity.organizations
        for each statement execute function identity.changed();

      -- Move credits once per reference. False, and nothing moved, when the balance does not suffice.
      create function identity.move_credits(entry uuid, organization uuid, delta numeric, why text, what text, enforce boolean) returns boolean
      language plpgsql as $$
      begin
        insert into identity.credit_entries (id, organization_id, amount, reason, reference) values (entry, organization, delta, why, what)
        on conflict (organization_id, reference) do nothing;
        if not found then return true; end if;
        update identity.organizations set credits = credits + delta where id = organization and (not enforce or credits + delta >= 0);
        if found then return true; end if;
        delete from identity.credit_entries where id = entry;
        return false;
      end $$;

      create table identity.outbox (
        id bigint generated always as identity primary key, topic text not null, payload jsonb not null,
        due_at timestamptz not null default now(), attempts integer not null default 0, created_at timestamptz not null default now()
      );
      create index outbox_due on identity.outbox (due_at);
      create function identity.outbox_filled() returns trigger language plpgsql as $$ begin notify outbox; return null; end $$;
      create trigger filled after insert on identity.outbox for each statement execute function identity.outbox_filled();
    `);
  }
}
