import { OF_ORGANIZATION } from '../../../database/index.ts';

/** The log of changes in an organization. */
export const auditLog = `
create table identity.audit_entries (
  id uuid primary key default gen_random_uuid(),
  ${OF_ORGANIZATION},
  created_at timestamptz not null default now(),
  subject text not null, subject_id uuid not null,
  action text not null,
  fields text[] not null default '{}',
  -- The old and the new value of each setting that is no secret, by column.
  changes jsonb not null default '{}',
  actor text not null, user_id uuid, key_id uuid, session_id uuid
);
-- The log of an organization, newest first.
create index audit_entries_newest on identity.audit_entries (organization_id, created_at desc, id desc);
-- The log of one record.
create index audit_entries_subject on identity.audit_entries (organization_id, subject_id, created_at desc);
-- The retention.
create index audit_entries_old on identity.audit_entries (created_at);

-- Whether the log may keep the values of a column: switches, numbers, and choices from lists. Texts may be confidential.
create function identity.is_auditable(name text, content jsonb) returns boolean language sql immutable parallel safe
  return jsonb_typeof(content) in ('boolean', 'number') or name = any(
    '{role,plan,modules,tool_groups,event_type,events,method,model_type,expires_at,disabled_at}');

-- Record a change, by default with the actor of the transaction.
create function identity.record_change(
  organization uuid, what text, what_id uuid, how text, changed text[], acting jsonb default null, contents jsonb default '{}'
) returns void
language plpgsql as $$
declare who jsonb := coalesce(acting, nullif(current_setting('audit.actor', true), '')::jsonb, '{"actor":"system"}');
begin
  insert into identity.audit_entries (organization_id, subject, subject_id, action, fields, changes, actor, user_id, key_id, session_id)
  values (organization, what, what_id, how, changed, contents, who ->> 'actor', (who ->> 'user')::uuid, (who ->> 'key')::uuid, (who ->> 'session')::uuid);
end $$;

-- Row trigger with the arguments: subject, its id column, the column of the organization, and columns that are not recorded.
create function identity.audit() returns trigger language plpgsql as $$
declare
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  current_row jsonb := coalesce(new_row, old_row);
  organization uuid := (current_row ->> tg_argv[2])::uuid;
  how text := case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end;
  changed text[] := '{}';
  contents jsonb := '{}';
begin
  if organization is null then return null; end if;
  if tg_op = 'UPDATE' then
    select coalesce(array_agg(key order by key), '{}'),
           coalesce(jsonb_object_agg(key, jsonb_build_array(old_row -> key, value))
             filter (where identity.is_auditable(key, coalesce(nullif(value, 'null'), old_row -> key))), '{}')
      into changed, contents from jsonb_each(new_row)
     where value is distinct from old_row -> key and not key = any(tg_argv[3:]);
    -- A new encryption key changes the stored secrets, but not their values.
    if changed = '{}' or (changed <@ '{sealed,secret}' and coalesce(current_setting('audit.actor', true), '') = '') then
      return null;
    end if;
    if 'revoked_at' = any(changed) then how := 'deleted'; changed := '{}'; contents := '{}'; end if;
  end if;
  -- The rows of a deleted organization are deleted with it.
  if tg_op = 'DELETE' and not exists (select from identity.organizations where id = organization) then return null; end if;
  perform identity.record_change(organization, tg_argv[0], (current_row ->> tg_argv[1])::uuid, how, changed, null, contents);
  return null;
end $$;

create trigger audit after insert or update of slug, name, plan, modules on identity.organizations
  for each row execute function identity.audit('organization', 'id', 'id');
create trigger audit after insert or update or delete on identity.memberships
  for each row execute function identity.audit('member', 'user_id', 'organization_id', 'joined_at');
create trigger audit after insert or update or delete on identity.api_keys
  for each row execute function identity.audit('api_key', 'id', 'organization_id');
create trigger audit after insert or update on identity.invitations
  for each row execute function identity.audit('invitation', 'id', 'organization_id', 'created_at', 'token_hash');
create trigger audit_deleted after delete on identity.invitations
  for each row when (old.expires_at > now()) execute function identity.audit('invitation', 'id', 'organization_id');

-- A session belongs to a user, so it is recorded in the organizations of the user. Sessions that end by themselves are not.
-- An organization reads about its own members only, so the actor is the system where the acting user is not a member.
create function identity.audit_session() returns trigger language plpgsql as $$
declare
  signed uuid := coalesce(new.user_id, old.user_id);
  who text := jsonb_build_object('actor', 'user', 'user', signed, 'session', coalesce(new.id, old.id))::text;
  acting jsonb;
begin
  if tg_op = 'DELETE' and coalesce(current_setting('audit.actor', true), '') = '' then return null; end if;
  if tg_op = 'INSERT' then perform set_config('audit.actor', who, true); end if;
  acting := current_setting('audit.actor')::jsonb;
  perform identity.record_change(m.organization_id, 'session', coalesce(new.id, old.id),
            case tg_op when 'INSERT' then 'created' else 'deleted' end, '{}',
            case when acting ->> 'user' is null or exists (
                   select from identity.memberships a
                    where a.organization_id = m.organization_id and a.user_id = (acting ->> 'user')::uuid)
                 then acting else '{"actor":"system"}' end)
     from (select organization_id from identity.memberships where user_id = signed order by joined_at limit 100) m;
  return null;
end $$;
create trigger audit after insert or delete on identity.sessions for each row execute function identity.audit_session();
`;
