import { OF_ORGANIZATION, OWNED } from '../../../database/index.ts';

/** Users and organizations, who belongs to which, and how people get in. */
export const organizations = `
create table identity.users (
  id uuid primary key,
  email varchar(320) not null unique,
  name varchar(255) not null,
  created_at timestamptz not null default now()
);

create table identity.organizations (
  id uuid primary key,
  slug varchar(64) not null unique,
  name varchar(255) not null,
  plan text not null default 'free',
  modules text[] not null default '{}',
  credits numeric(16,4) not null default 0,
  storage_quota bigint check (storage_quota >= 0),
  created_at timestamptz not null default now()
);
comment on column identity.organizations.storage_quota is 'Replaces the quota of the plan.';

create table identity.memberships (
  ${OF_ORGANIZATION},
  user_id uuid not null references identity.users on delete cascade deferrable initially deferred,
  role text not null check (role in ('owner', 'admin', 'member')),
  joined_at timestamptz not null default now(),
  primary key (organization_id, user_id)
);
-- The organizations of a user.
create index memberships_user on identity.memberships (user_id);

create table identity.invitations (
  ${OWNED},
  email varchar(320) not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  token_hash bytea not null unique,
  inviter_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (organization_id, email),
  -- The invitations of a member end with the membership.
  foreign key (organization_id, inviter_id) references identity.memberships (organization_id, user_id)
    on delete cascade deferrable initially deferred
);
-- The foreign key of the membership, and the invitations that a lower role withdraws.
create index invitations_inviter on identity.invitations (organization_id, inviter_id);

-- A member who gets a lower role must not leave invitations behind that the role could not grant.
create function identity.withdraw_invitations() returns trigger language plpgsql as $$ begin
  delete from identity.invitations
   where organization_id = new.organization_id and inviter_id = new.user_id and (new.role = 'member' or role = 'owner');
  return null;
end $$;
create trigger withdraw_invitations after update of role on identity.memberships for each row
  when (new.role <> 'owner') execute function identity.withdraw_invitations();
`;

/** API keys and sessions, by which callers are recognized, and the notification that ends what processes cache about them. */
export const credentials = `
create table identity.api_keys (
  id uuid primary key,
  -- Null for a key that is not bound to an organization.
  organization_id uuid references identity.organizations on delete cascade deferrable initially deferred,
  -- Site content, whose tables are created later, adds the foreign key.
  workspace_id uuid check (workspace_id is null or organization_id is not null),
  user_id uuid not null references identity.users on delete cascade deferrable initially deferred,
  operator boolean not null default false,
  name varchar(255) not null,
  prefix varchar(16) not null,
  hash bytea not null unique,
  tool_groups text[] not null default '{catalog-read,agents-read,integration-read,site-content-read}',
  expires_at timestamptz, disabled_at timestamptz, revoked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint operator_keys_are_unbound check (not operator or organization_id is null)
);
-- The keys of an organization, newest first.
create index api_keys_organization on identity.api_keys (organization_id, created_at desc);
-- The foreign keys of a user and of a workspace.
create index api_keys_user on identity.api_keys (user_id);
create index api_keys_workspace on identity.api_keys (organization_id, workspace_id) where workspace_id is not null;

create table identity.sessions (
  id uuid primary key,
  user_id uuid not null references identity.users on delete cascade deferrable initially deferred,
  token_hash bytea not null unique,
  device varchar(64) not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now()
);
-- The sessions of a user, the last used first.
create index sessions_user on identity.sessions (user_id, last_used_at desc);
-- The sweep of sessions that were not used for long.
create index sessions_idle on identity.sessions (last_used_at);
-- The sweep of sessions that reached their maximum age.
create index sessions_created on identity.sessions (created_at);

create table identity.sign_in_links (
  token_hash bytea primary key,
  user_id uuid not null references identity.users on delete cascade deferrable initially deferred,
  organization_id uuid references identity.organizations on delete cascade deferrable initially deferred,
  created_at timestamptz not null default now(), expires_at timestamptz not null, used_at timestamptz
);
-- The foreign keys.
create index sign_in_links_user on identity.sign_in_links (user_id);
create index sign_in_links_organization on identity.sign_in_links (organization_id);
-- The sweep of expired links.
create index sign_in_links_expired on identity.sign_in_links (expires_at);

-- Every process caches callers, and clears that cache by this notification.
create function identity.changed() returns trigger language plpgsql as $$ begin notify identity; return null; end $$;
create trigger changed after update or delete on identity.users for each statement execute function identity.changed();
create trigger changed after insert or update or delete on identity.memberships for each statement execute function identity.changed();
create trigger changed after insert or update or delete on identity.api_keys for each statement execute function identity.changed();
create trigger changed after update of slug, name, plan, modules or delete on identity.organizations
  for each statement execute function identity.changed();

-- New sessions are in no cache, and the time of the last use is not cached across processes.
-- Every sign-in deletes the surplus sessions of its user, mostly none: the caches of callers stay.
create function identity.sessions_ended() returns trigger language plpgsql as $$
begin
  if exists (select from ended) then notify identity; end if;
  return null;
end $$;
create trigger changed after delete on identity.sessions referencing old table as ended
  for each statement execute function identity.sessions_ended();

-- A sealed text by which a process recognizes that its SECRETS_KEY is that of the database.
create table identity.secrets_canary (
  only_row boolean primary key default true check (only_row),
  sealed bytea not null
);
`;
