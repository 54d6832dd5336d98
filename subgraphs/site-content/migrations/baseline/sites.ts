import { OWNED } from '../../../../platform/database/index.ts';
import { OF_SITE, VERSIONED } from './columns.ts';
import { lockOf, noteChanges } from './lists.ts';

/** Workspaces with their members, and their sites with domains. */
export const sites = `
create table site_content.workspaces (
  ${OWNED},
  name varchar(255) not null,
  slug varchar(64) not null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  constraint workspaces_slug unique (organization_id, slug),
  constraint workspaces_of_organization unique (organization_id, id)
);
-- The list by name.
create index workspaces_by_name on site_content.workspaces (organization_id, name, id);
${noteChanges('workspaces', { parent: ['organization_id', 'identity.organizations'] })}
-- A key can be bound to a workspace of its organization only, and ends with the workspace.
alter table identity.api_keys add constraint api_keys_workspace foreign key (organization_id, workspace_id)
  references site_content.workspaces (organization_id, id) on delete cascade;

create table site_content.members (
  ${OWNED},
  workspace_id uuid not null references site_content.workspaces on delete cascade,
  user_id uuid not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  joined_at timestamptz not null default now(),
  constraint members_user unique (workspace_id, user_id),
  foreign key (organization_id, user_id) references identity.memberships (organization_id, user_id) on delete cascade
);
-- The list, oldest first.
create index members_list on site_content.members (workspace_id, joined_at, id);
-- The foreign key of a membership, and the workspaces of a user.
create index members_of_user on site_content.members (organization_id, user_id);
${noteChanges('members', { parent: ['workspace_id', 'site_content.workspaces'] })}

-- A member of a workspace shows the name of its user, so it changes with it.
create function site_content.note_members() returns trigger language plpgsql as $$
  declare organization uuid;
  begin
    -- In the order of their ids, so that concurrent changes of users cannot deadlock.
    for organization in select organization_id from identity.memberships where user_id = new.id order by 1 loop
      perform ${lockOf('organization')};
    end loop;
    update site_content.changes c set revision = nextval('site_content.revisions'), at = now()
      from identity.memberships s
      join site_content.members m on m.organization_id = s.organization_id and m.user_id = s.user_id
     where s.user_id = new.id and c.record_id = m.id;
    return null;
  end $$;
create trigger note_members after update on identity.users for each row
  when ((old.name, old.email) is distinct from (new.name, new.email)) execute function site_content.note_members();

create table site_content.sites (
  ${OWNED},
  -- Not deferred, so that a violation fails the statement and can be reported as NOT_FOUND.
  workspace_id uuid not null references site_content.workspaces on delete cascade,
  name varchar(255) not null,
  slug varchar(64) not null,
  status text not null, published_at timestamptz,
  ${VERSIONED},
  constraint sites_slug unique (workspace_id, slug),
  check ((status = 'published') = (published_at is not null))
);
-- The sites by name: of an organization, or of a workspace.
create index sites_by_name on site_content.sites (organization_id, name, id, status);
create index sites_of_workspace on site_content.sites (workspace_id, name, id, status);
-- Readers list published sites by name, without passing the drafts between them.
create index sites_by_status on site_content.sites (organization_id, status, name, id);
create index sites_of_workspace_by_status on site_content.sites (workspace_id, status, name, id);
${noteChanges('sites', { parent: ['workspace_id', 'site_content.workspaces'], hasStatus: true })}

create table site_content.domains (
  ${OF_SITE},
  domain varchar(253),
  subdomain varchar(63) not null,
  token text not null,
  verified_at timestamptz,
  -- When the site lost its domain to another one that proved the ownership.
  lost_at timestamptz,
  ssl boolean not null default false,
  constraint domains_site unique (site_id),
  constraint domains_subdomain unique (subdomain)
);
-- The foreign key.
create index domains_organization on site_content.domains (organization_id);
-- Several sites may claim a domain, but only one can prove that it owns it.
create unique index domains_verified on site_content.domains (domain) where verified_at is not null;
`;
