import { Migration } from '@mikro-orm/migrations';

export class Sessions extends Migration {
  override up(): void {
    this.addSql(`
      create table identity.sessions (
        id uuid primary key, user_id uuid not null references identity.users on delete cascade deferrable initially deferred,
        token_hash bytea not null unique, device varchar(64) not null,
        created_at timestamptz not null default now(), last_used_at timestamptz not null default now()
      );
      create index sessions_user on identity.sessions (user_id, last_used_at desc);
      create index sessions_idle on identity.sessions (last_used_at);
      create index sessions_created on identity.sessions (created_at);
      -- New sessions are in no cache, and the time of the last use is not cached across processes.
      -- Every sign-in deletes the surplus sessions of its user, mostly none: the caches of callers stay.
      create function identity.sessions_ended() returns trigger language plpgsql as $$
      begin
        if exists (select from ended) then notify identity; end if;
        return null;
      end $$;
      create trigger changed after delete on identity.sessions referencing old table as ended
        for each statement execute function identity.sessions_ended();

      create table identity.sign_in_links (
        token_hash bytea primary key, user_id uuid not null references identity.users on delete cascade deferrable initially deferred,
        organization_id uuid references identity.organizations on delete cascade deferrable initially deferred,
        created_at timestamptz not null default now(), expires_at timestamptz not null, used_at timestamptz
      );
      create index sign_in_links_user on identity.sign_in_links (user_id);
      create index sign_in_links_organization on identity.sign_in_links (organization_id);
      create index sign_in_links_expired on identity.sign_in_links (expires_at);
    `);
  }
}
