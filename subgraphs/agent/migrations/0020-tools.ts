import { Migration } from '@mikro-orm/migrations';

export class AgentTools extends Migration {
  override up(): void {
    this.addSql(`
      create table agent.secrets (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        name varchar(64) not null, sealed bytea not null,
        created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
        constraint secrets_name unique (organization_id, name)
      );

      create table agent.mcp_servers (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
        name varchar(64) not null, url text not null, headers_template jsonb not null, timeout_ms integer not null,
        secret_names text[] not null,
        created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
        constraint mcp_servers_name unique (agent_id, name)
      );
      create index mcp_servers_by_secret on agent.mcp_servers using gin (secret_names);

      create table agent.tools (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
        mcp_server_id uuid references agent.mcp_servers on delete cascade deferrable initially deferred, remote_name text,
        name varchar(64) not null, description text not null, input_schema jsonb not null,
        endpoint_url text not null, method text not null, headers_template jsonb not null, query_template jsonb not null,
        body_template text, response_mapping jsonb not null, enabled boolean not null, timeout_ms integer not null,
        allowed_domains text[] not null, secret_names text[] not null,
        created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
        constraint tools_name unique (agent_id, name)
      );
      create index tools_by_secret on agent.tools using gin (secret_names);
      create index tools_by_mcp_server on agent.tools (mcp_server_id) where mcp_server_id is not null;

      create table agent.tool_calls (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
        tool_id uuid, tool_name varchar(64) not null, conversation_id uuid,
        status text not null, response_status integer, duration_ms integer, request jsonb, error text,
        created_at timestamptz not null default now()
      );
      create index tool_calls_by_agent on agent.tool_calls (agent_id, created_at, id);
      create index tool_calls_by_tool on agent.tool_calls (tool_id, created_at, id);
      create index tool_calls_by_conversation on agent.tool_calls (conversation_id, created_at, id) where conversation_id is not null;
      create index tool_calls_by_time on agent.tool_calls (created_at);
      create index tool_calls_running on agent.tool_calls (created_at) where status = 'running';
    `);
  }
}
