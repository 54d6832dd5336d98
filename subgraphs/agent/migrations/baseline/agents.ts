import { byteCountTriggers, jsonBytes, OWNED, textBytes } from '../../../../platform/database/index.ts';

/** Agents, and what their replies may spend. */
export const agents = `
create table agent.agents (
  ${OWNED},
  name varchar(255) not null,
  slug varchar(64) not null, public_slug varchar(128) not null,
  model_type text not null, system_prompt text not null, temperature double precision not null,
  max_tokens_per_message integer not null, max_retrieval_tokens integer not null,
  welcome_message text not null, placeholder text not null, suggested_messages text[] not null,
  theme jsonb not null, branding jsonb not null,
  allowed_origins text[] not null, public_access boolean not null, voice_enabled boolean not null,
  catalog_access boolean not null default false, catalog_attributes text[] not null default '{}',
  product_page text, product_pictures boolean not null default true,
  identity_keys_url text, require_approvals boolean not null default false,
  daily_credit_limit integer not null default 1000,
  retention_days integer,
  office_hours jsonb,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  -- The agent whose draft this is, and the version of that agent from which the draft began.
  draft_of uuid references agent.agents on delete cascade deferrable initially deferred, draft_base integer,
  -- The version that equals the agent; null if the agent has changed since.
  live_version integer,
  -- Deleted agents stay as rows until a sweep has removed their conversations.
  deleted_at timestamptz,
  constraint agents_slug unique (organization_id, slug),
  constraint agents_public_slug unique (public_slug)
);
-- The list by name.
create index agents_by_name on agent.agents (organization_id, name, id);
-- The sweeps of conversations, which run every few seconds: of agents with a retention, and of deleted ones.
create index agents_with_retention on agent.agents (id) where retention_days is not null;
create index agents_deleted on agent.agents (deleted_at) where deleted_at is not null;
-- An agent has one draft.
create unique index agents_draft on agent.agents (draft_of) where draft_of is not null and deleted_at is null;
-- The foreign key.
create index agents_drafts on agent.agents (draft_of) where draft_of is not null;
${byteCountTriggers({
  table: 'agent.agents',
  bytes: `500 + ${textBytes('system_prompt', 'welcome_message')} + ${jsonBytes('theme', 'branding', 'office_hours')}`,
  updates: 'true',
})}

-- The audit log records the deletion of an agent when it is marked.
create function agent.record_deletion() returns trigger language plpgsql as $$
begin
  perform identity.record_change(new.organization_id, 'agent', new.id, 'deleted', '{}');
  return null;
end $$;
create trigger audit after insert or update on agent.agents
  for each row when (new.deleted_at is null)
  execute function identity.audit('agent', 'id', 'organization_id', 'updated_at', 'live_version', 'draft_base');
create trigger audit_marked after update on agent.agents
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function agent.record_deletion();
create trigger audit_removed after delete on agent.agents
  for each row when (old.deleted_at is null) execute function identity.audit('agent', 'id', 'organization_id', 'updated_at');

create table agent.daily_credits (
  agent_id uuid not null references agent.agents on delete cascade,
  day date not null,
  credits numeric not null,
  primary key (agent_id, day)
);
-- The sweep of past days.
create index daily_credits_day on agent.daily_credits (day);
`;

/** The tools of agents, the secrets that they send, and the log of their calls. */
export const tools = `
create table agent.secrets (
  ${OWNED},
  name varchar(64) not null,
  sealed bytea not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  constraint secrets_name unique (organization_id, name)
);
create trigger audit after insert or update or delete on agent.secrets
  for each row execute function identity.audit('secret', 'id', 'organization_id', 'updated_at');

-- The secrets that an agent shares with its site.
create table agent.signing_secrets (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  purpose text not null,
  sealed bytea not null, previous_sealed bytea, previous_expires_at timestamptz,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  constraint signing_secrets_purpose unique (agent_id, purpose)
);
-- The secrets of a deleted organization.
create index signing_secrets_of_organization on agent.signing_secrets (organization_id);
create trigger audit after insert or update or delete on agent.signing_secrets
  for each row execute function identity.audit('signing_secret', 'id', 'organization_id', 'updated_at');

create table agent.mcp_servers (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  name varchar(64) not null,
  url text not null, headers_template jsonb not null, timeout_ms integer not null, secret_names text[] not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  constraint mcp_servers_name unique (agent_id, name)
);
-- The foreign key.
create index mcp_servers_organization on agent.mcp_servers (organization_id);
-- The uses of a secret.
create index mcp_servers_by_secret on agent.mcp_servers using gin (secret_names);

create table agent.tools (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  mcp_server_id uuid references agent.mcp_servers on delete cascade deferrable initially deferred, remote_name text,
  name varchar(64) not null, description text not null, input_schema jsonb not null,
  endpoint_url text not null, method text not null, headers_template jsonb not null, query_template jsonb not null, body_template text,
  response_mapping jsonb not null,
  -- Null is the behavior of a tool that nobody protected, or that of the agent.
  effect text, approval text, confirmation text,
  data text not null default 'public', requires_verified_visitor boolean not null default false,
  -- Whether the MCP server says so.
  destructive boolean not null default false,
  enabled boolean not null,
  timeout_ms integer not null,
  allowed_domains text[] not null, secret_names text[] not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  constraint tools_name unique (agent_id, name)
);
-- The foreign key.
create index tools_organization on agent.tools (organization_id);
-- The uses of a secret.
create index tools_by_secret on agent.tools using gin (secret_names);
-- The tools of a server.
create index tools_by_mcp_server on agent.tools (mcp_server_id) where mcp_server_id is not null;
${byteCountTriggers({
  table: 'agent.tools',
  bytes: `500 + ${textBytes('description', 'body_template')} + ${jsonBytes('input_schema', 'headers_template', 'query_template', 'response_mapping')}`,
  updates: 'true',
})}
create trigger audit after insert or update or delete on agent.tools
  for each row execute function identity.audit('tool', 'id', 'organization_id', 'updated_at');

create table agent.tool_calls (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  tool_id uuid, tool_name varchar(64) not null,
  conversation_id uuid,
  status text not null, response_status integer, duration_ms integer, request jsonb, error text,
  approval_id uuid,
  -- An ended call that the next event names.
  to_report boolean not null default false,
  created_at timestamptz not null default now()
);
create index tool_calls_to_report on agent.tool_calls (agent_id, created_at, id) include (organization_id) where to_report;
-- The log of an agent, a tool or a conversation.
create index tool_calls_by_agent on agent.tool_calls (agent_id, created_at, id);
create index tool_calls_by_tool on agent.tool_calls (organization_id, tool_id, created_at, id);
create index tool_calls_by_conversation on agent.tool_calls (conversation_id, created_at, id) where conversation_id is not null;
-- The retention.
create index tool_calls_by_time on agent.tool_calls (created_at);
-- The calls that nobody ended.
create index tool_calls_running on agent.tool_calls (created_at) where status = 'running';
`;

/** The versions of agents. */
export const versions = `
create table agent.agent_versions (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
  number integer not null,
  note text not null, published boolean not null, author_name text,
  -- Why an owner published it although its tests did not pass.
  override_reason text,
  content jsonb not null, sources jsonb not null,
  created_at timestamptz not null default now(),
  constraint agent_versions_number unique (agent_id, number)
);
-- The foreign key.
create index agent_versions_by_organization on agent.agent_versions (organization_id);
-- The oldest versions that were not published, which make room for new ones.
create index agent_versions_direct on agent.agent_versions (agent_id, number) where not published;
${byteCountTriggers({ table: 'agent.agent_versions', bytes: `200 + ${textBytes('note')} + ${jsonBytes('content', 'sources')}`, refuses: false })}

-- What a version has of the row of an agent: all but its identity, and what concerns its operation and not its replies.
create function agent.settings_of(a agent.agents) returns jsonb language sql stable as $$
  select to_jsonb(a) - '{id,organization_id,slug,public_slug,allowed_origins,public_access,daily_credit_limit,retention_days,office_hours,
    identity_keys_url,created_at,updated_at,deleted_at,draft_of,draft_base,live_version}'::text[]
$$;
-- All that decides how an agent replies, except for its sources.
create function agent.content_of(agent uuid) returns jsonb language sql stable as $$
  select jsonb_build_object('settings', agent.settings_of(a),
    'servers', coalesce((select jsonb_agg(to_jsonb(s) - '{id,organization_id,agent_id,created_at,updated_at}'::text[] order by s.name)
                           from agent.mcp_servers s where s.agent_id = a.id), '[]'),
    'tools', coalesce((select jsonb_agg(to_jsonb(t) - '{id,organization_id,agent_id,mcp_server_id,created_at,updated_at}'::text[]
                                          || jsonb_build_object('server', s.name) order by t.name)
                         from agent.tools t left join agent.mcp_servers s on s.id = t.mcp_server_id where t.agent_id = a.id), '[]'),
    'forms', coalesce((select jsonb_agg(to_jsonb(f) - '{id,organization_id,agent_id,created_at,updated_at}'::text[] order by f.name)
                         from agent.forms f where f.agent_id = a.id), '[]'))
    from agent.agents a where a.id = agent
$$;

-- Records the content of an agent as its next version. Returns the number.
create function agent.add_version(entry uuid, agent uuid, words text, is_published boolean, author text, override text)
returns integer language plpgsql as $$
declare added integer;
begin
  insert into agent.agent_versions (id, organization_id, agent_id, number, note, published, author_name, override_reason, content, sources)
  select entry, a.organization_id, a.id, 1 + coalesce((select max(v.number) from agent.agent_versions v where v.agent_id = a.id), 0),
         words, is_published, author, override, agent.content_of(a.id),
         coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name, 'status', s.status, 'readAt', s.last_indexed_at)
                                    order by s.name, s.id) from agent.sources s where s.agent_id = a.id), '[]')
    from agent.agents a where a.id = agent
  returning number into added;
  update agent.agents set live_version = added where id = agent;
  return added;
end $$;

-- A changed agent equals no version.
create function agent.agent_changed() returns trigger language plpgsql as $$
begin
  if agent.settings_of(new) is distinct from agent.settings_of(old) then new.live_version := null; end if;
  return new;
end $$;
create trigger version_changed before update on agent.agents
  for each row when (old.live_version is not null and new.live_version is not distinct from old.live_version)
  execute function agent.agent_changed();
create function agent.part_changed() returns trigger language plpgsql as $$
begin
  -- The lock lets a version see this change, or follow it.
  perform from agent.agents where id = coalesce(new.agent_id, old.agent_id) for no key update;
  update agent.agents set live_version = null where id = coalesce(new.agent_id, old.agent_id) and live_version is not null;
  return null;
end $$;
create trigger version_changed after insert or update or delete on agent.tools for each row execute function agent.part_changed();
create trigger version_changed after insert or update or delete on agent.mcp_servers for each row execute function agent.part_changed();
create trigger version_changed after insert or update or delete on agent.forms for each row execute function agent.part_changed();
`;
