import { Migration } from '@mikro-orm/migrations';

/** Handoffs to people, and the numbered events that both sides follow. */
export class Handoffs extends Migration {
  override up(): void {
    this.addSql(`
      alter table agent.conversations add column handoff_id uuid, add column handoff_status text,
        add column handoff_version integer not null default 0, add column event_sequence integer not null default 0,
        add column visitor_seen integer not null default 0, add column operator_seen integer not null default 0,
        add column visitor_typing_at timestamptz, add column operator_typing_at timestamptz;
      alter table agent.messages add column author_id uuid, add column author_name text;

      create table agent.handoffs (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        agent_id uuid not null references agent.agents on delete cascade deferrable initially deferred,
        conversation_id uuid not null references agent.conversations on delete cascade deferrable initially deferred,
        status text not null, requested_by text not null, reason text, operator_id uuid, operator_name text,
        created_at timestamptz not null default now(), taken_at timestamptz, ended_at timestamptz, ended_by text
      );
      create unique index handoffs_open on agent.handoffs (conversation_id) where status in ('waiting', 'active');
      create index handoffs_queue on agent.handoffs (organization_id, created_at, id) where status in ('waiting', 'active');
      create index handoffs_newest on agent.handoffs (organization_id, created_at desc, id desc);
      create index handoffs_conversation on agent.handoffs (conversation_id);
      create index handoffs_agent on agent.handoffs (agent_id);

      create table agent.handoff_events (
        conversation_id uuid not null references agent.conversations on delete cascade, sequence integer not null,
        type text not null, status text not null, party text not null, operator_name text, message_id uuid, seen_to integer,
        created_at timestamptz not null default now(), primary key (conversation_id, sequence)
      );
      create index handoff_events_typing on agent.handoff_events (created_at) where type = 'typing';

      create or replace function agent.conversation_deleted() returns trigger language plpgsql as $$
      begin
        delete from agent.tool_calls c using deleted d where c.conversation_id = d.id;
        perform pg_notify('handoff_events', d.id::text) from deleted d where d.handoff_status is not null;
        perform pg_notify('handoff_queue', d.organization_id::text) from deleted d where d.handoff_status in ('waiting', 'active');
        return null;
      end $$;
    `);
  }
}
