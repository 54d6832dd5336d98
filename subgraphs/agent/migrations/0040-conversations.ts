import { Migration } from '@mikro-orm/migrations';

export class Conversations extends Migration {
  override up(): void {
    this.addSql(`
      create extension if not exists btree_gin;
      create table agent.conversations (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
        visitor_id text not null, client_id text, channel text not null, status text not null, summary text, summarized_to integer not null default 0,
        message_count integer not null default 0, created_at timestamptz not null default now(), last_message_at timestamptz
      );
      create unique index conversations_by_client on agent.conversations (agent_id, visitor_id, client_id);
      create index conversations_newest on agent.conversations (agent_id, (coalesce(last_message_at, created_at)) desc, id desc);

      create table agent.messages (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        conversation_id uuid not null references agent.conversations on delete cascade deferrable initially deferred,
        position integer not null, role text not null, text text not null default '', parts jsonb not null default '[]', status text not null,
        error text, client_id text, request_id text, replaced boolean not null default false, credits numeric(16,4) not null default 0,
        model text, input_tokens integer not null default 0, output_tokens integer not null default 0,
        lease uuid, leased_until timestamptz, stop_requested boolean not null default false,
        created_at timestamptz not null default now(), finished_at timestamptz,
        constraint messages_position unique (conversation_id, position)
      );
      create unique index messages_running on agent.messages (conversation_id) where status = 'running';
      create index messages_leases on agent.messages (leased_until) where status = 'running';
      create unique index messages_request on agent.messages (request_id) where request_id is not null;
      create index messages_text on agent.messages using gin (organization_id, (lower(text)) gin_trgm_ops);

      create table agent.reply_parts (
        message_id uuid not null references agent.messages on delete cascade, first integer not null, parts jsonb not null,
        stored_at timestamptz not null default now(), primary key (message_id, first)
      );
      create index reply_parts_age on agent.reply_parts (stored_at);

      create table agent.daily_credits (
        agent_id uuid not null references agent.agents on delete cascade, day date not null, credits numeric not null,
        primary key (agent_id, day)
      );
    `);
  }
}
