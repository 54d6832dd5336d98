import { Migration } from '@mikro-orm/migrations';

export class AgentService extends Migration {
  override up(): void {
    this.addSql(`
      create schema if not exists agent;

      create table agent.agents (
        id uuid primary key, organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred,
        name varchar(255) not null, slug varchar(64) not null, public_slug varchar(128) not null,
        model_type text not null, system_prompt text not null, welcome_message text not null, placeholder text not null,
        suggested_messages text[] not null, temperature double precision not null, theme jsonb not null, branding jsonb not null,
        allowed_origins text[] not null, max_tokens_per_message integer not null, max_retrieval_tokens integer not null,
        public_access boolean not null, voice_enabled boolean not null,
        created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
        constraint agents_slug unique (organization_id, slug),
        constraint agents_public_slug unique (public_slug)
      );
      create index agents_by_name on agent.agents (organization_id, name, id);
    `);
  }
}
