import { Migration } from '@mikro-orm/migrations';

const owned = 'organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred';
// Records outlive their agent and keep its id and last known name.
const origin = 'agent_id uuid not null, agent_name text not null, conversation_id uuid';

/** Contacts, leads, forms, submissions and tickets. */
export class Records extends Migration {
  override up(): void {
    this.addSql(`
      create table agent.contacts (
        id uuid primary key, ${owned},
        email varchar(320), name varchar(255), phone varchar(64),
        created_at timestamptz not null default now(), updated_at timestamptz not null default now()
      );
      create unique index contacts_email on agent.contacts (organization_id, email) where email is not null;
      create index contacts_newest on agent.contacts (organization_id, created_at desc, id desc);

      create table agent.leads (
        id uuid primary key, ${owned}, ${origin},
        contact_id uuid not null references agent.contacts on delete cascade,
        name varchar(255), email varchar(320), phone varchar(64), created_at timestamptz not null default now()
      );
      create index leads_newest on agent.leads (organization_id, created_at desc, id desc);
      create index leads_by_agent on agent.leads (organization_id, agent_id, created_at desc, id desc);
      create index leads_by_email on agent.leads (organization_id, lower(email), created_at desc, id desc);
      create index leads_contact on agent.leads (contact_id);

      create table agent.forms (
        id uuid primary key, ${owned},
        agent_id uuid not null references agent.agents on delete cascade,
        name varchar(64) not null, title varchar(255) not null, fields jsonb not null, enabled boolean not null,
        created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
        constraint forms_name unique (agent_id, name)
      );
      create index forms_by_name on agent.forms (organization_id, name, created_at, id);

      create table agent.form_submissions (
        id uuid primary key, ${owned}, ${origin},
        form_name varchar(64) not null, "values" jsonb not null, created_at timestamptz not null default now()
      );
      create index form_submissions_newest on agent.form_submissions (organization_id, created_at desc, id desc);
      create index form_submissions_by_agent on agent.form_submissions (organization_id, agent_id, created_at desc, id desc);
      create index form_submissions_by_form on agent.form_submissions (organization_id, form_name, created_at desc, id desc);

      create table agent.ticket_numbers (
        organization_id uuid primary key references identity.organizations on delete cascade deferrable initially deferred,
        last bigint not null
      );
      create table agent.tickets (
        id uuid primary key, ${owned}, ${origin},
        ticket_number text not null, subject varchar(255) not null, description text not null,
        status text not null, priority text not null, category varchar(64), source text not null,
        requester_name varchar(255), requester_email varchar(320), contact_id uuid references agent.contacts on delete set null,
        conversation_summary text, assigned_to_user_id uuid, assigned_to_name text,
        merged_into_id uuid references agent.tickets on delete set null,
        created_at timestamptz not null default now(), last_activity_at timestamptz not null default now(),
        constraint tickets_number unique (organization_id, ticket_number)
      );
      create index tickets_newest on agent.tickets (organization_id, created_at desc, id desc);
      create index tickets_activity on agent.tickets (organization_id, last_activity_at desc, id desc);
      create index tickets_by_status on agent.tickets (organization_id, status, created_at desc, id desc);
      create index tickets_by_agent on agent.tickets (organization_id, agent_id, created_at desc, id desc);
      create index tickets_by_email on agent.tickets (organization_id, lower(requester_email), created_at desc, id desc);
      create index tickets_contact on agent.tickets (contact_id);
      create index tickets_conversation on agent.tickets (conversation_id) where conversation_id is not null;
      create index tickets_merged on agent.tickets (merged_into_id) where merged_into_id is not null;

      create table agent.ticket_messages (
        id uuid primary key, ${owned},
        ticket_id uuid not null references agent.tickets on delete cascade,
        kind text not null, author_id uuid, author_name text not null, text text not null, created_at timestamptz not null default now()
      );
      create index ticket_messages_oldest on agent.ticket_messages (ticket_id, created_at, id);
      create index ticket_messages_organization on agent.ticket_messages (organization_id);
    `);
  }
}
