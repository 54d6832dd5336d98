import {
  byteCountTriggers,
  jsonBytes,
  listBytes,
  OF_ORGANIZATION,
  OWNED,
  rowCountTriggers,
  textBytes,
} from '../../../../platform/database/index.ts';

/** Records outlive their agent and keep its id and last known name. */
const ORIGIN = 'agent_id uuid not null, agent_name text not null, conversation_id uuid';

/** The people that agents learn about: contacts, leads, forms and their submissions. */
export const people = `
create table agent.contacts (
  ${OWNED},
  email varchar(320), name varchar(255), phone varchar(64),
  -- Whether a site has signed the identity. An address that somebody typed never finds such a contact.
  verified boolean not null default false,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now()
);
create unique index contacts_email on agent.contacts (organization_id, email) where email is not null and not verified;
-- The search by address.
create index contacts_by_email on agent.contacts (organization_id, email) where email is not null;
-- The list, newest first.
create index contacts_newest on agent.contacts (organization_id, created_at desc, id desc);
${rowCountTriggers({ table: 'agent.contacts', list: 'contacts' })}
${byteCountTriggers({ table: 'agent.contacts', bytes: '300' })}

-- The visitors whose identity a site has signed, by its subject. Their conversations name them instead of a browser.
create table agent.visitors (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade,
  contact_id uuid not null references agent.contacts on delete cascade,
  subject varchar(255) not null,
  created_at timestamptz not null default now(),
  constraint visitors_subject unique (agent_id, subject)
);
-- The visitors of a contact.
create index visitors_contact on agent.visitors (contact_id);
-- The foreign key.
create index visitors_organization on agent.visitors (organization_id);
${byteCountTriggers({ table: 'agent.visitors', bytes: '300' })}

create table agent.leads (
  ${OWNED},
  ${ORIGIN},
  contact_id uuid not null references agent.contacts on delete cascade,
  name varchar(255), email varchar(320), phone varchar(64),
  created_at timestamptz not null default now()
);
-- The leads, newest first: all, of an agent, with an e-mail address, or of a contact.
create index leads_newest on agent.leads (organization_id, created_at desc, id desc);
create index leads_by_agent on agent.leads (organization_id, agent_id, created_at desc, id desc);
create index leads_by_email on agent.leads (organization_id, lower(email), created_at desc, id desc);
create index leads_of_contact on agent.leads (contact_id, created_at desc, id desc);
-- The erasure of a conversation.
create index leads_conversation on agent.leads (conversation_id) where conversation_id is not null;
${byteCountTriggers({ table: 'agent.leads', bytes: '400' })}

create table agent.forms (
  ${OWNED},
  agent_id uuid not null references agent.agents on delete cascade,
  name varchar(64) not null, title varchar(255) not null,
  fields jsonb not null,
  enabled boolean not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  constraint forms_name unique (agent_id, name)
);
-- The list by name.
create index forms_by_name on agent.forms (organization_id, name, created_at, id);

create table agent.form_submissions (
  ${OWNED},
  ${ORIGIN},
  form_name varchar(64) not null,
  "values" jsonb not null,
  created_at timestamptz not null default now()
);
-- The submissions, newest first: all, of an agent, or of a form.
create index form_submissions_newest on agent.form_submissions (organization_id, created_at desc, id desc);
create index form_submissions_by_agent on agent.form_submissions (organization_id, agent_id, created_at desc, id desc);
create index form_submissions_by_form on agent.form_submissions (organization_id, form_name, created_at desc, id desc);
-- The erasure of a conversation.
create index form_submissions_conversation on agent.form_submissions (conversation_id) where conversation_id is not null;
${byteCountTriggers({ table: 'agent.form_submissions', bytes: `200 + ${jsonBytes('values')}` })}

-- The latest time of the records of each organization and kind.
create table agent.record_times (
  ${OF_ORGANIZATION},
  kind text not null,
  last timestamptz not null,
  primary key (organization_id, kind)
);

-- Erasures of contacts, which run in the background.
create table agent.erasures (
  ${OWNED},
  email varchar(320),
  -- The last submission that was searched.
  scanned_at timestamptz not null default '-infinity', scanned_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- The numbers of erased records.
  conversations integer not null default 0, messages integer not null default 0, leads integer not null default 0,
  submissions integer not null default 0, tickets integer not null default 0,
  created_at timestamptz not null default now(), completed_at timestamptz
);
-- The next erasures.
create index erasures_open on agent.erasures (created_at) where completed_at is null;
-- The retention.
create index erasures_completed on agent.erasures (completed_at);
-- The foreign key.
create index erasures_organization on agent.erasures (organization_id);
`;

/** Tickets and their messages. */
export const tickets = `
create table agent.ticket_numbers (
  organization_id uuid primary key references identity.organizations on delete cascade deferrable initially deferred,
  last bigint not null
);

create table agent.tickets (
  ${OWNED},
  ${ORIGIN},
  ticket_number text not null,
  subject varchar(255) not null, description text not null,
  status text not null, priority text not null, category varchar(64), source text not null,
  requester_name varchar(255), requester_email varchar(320),
  contact_id uuid references agent.contacts on delete set null,
  conversation_summary text,
  assigned_to_user_id uuid, assigned_to_name text,
  tags text[] not null default '{}',
  merged_into_id uuid references agent.tickets on delete set null,
  created_at timestamptz not null default now(), last_activity_at timestamptz not null default now(),
  -- An erased ticket stays without its content.
  erased_at timestamptz,
  constraint tickets_number unique (organization_id, ticket_number)
);
-- The tickets, newest first: all, in a state, of an agent, of a requester, or of a contact.
create index tickets_newest on agent.tickets (organization_id, created_at desc, id desc);
create index tickets_by_status on agent.tickets (organization_id, status, created_at desc, id desc);
create index tickets_by_agent on agent.tickets (organization_id, agent_id, created_at desc, id desc);
create index tickets_by_email on agent.tickets (organization_id, lower(requester_email), created_at desc, id desc);
create index tickets_of_contact on agent.tickets (contact_id, created_at desc, id desc) where contact_id is not null;
-- Pollers sort tickets by activity: all, in a state, or of an agent. The tickets of one state are often the oldest ones.
create index tickets_activity on agent.tickets (organization_id, last_activity_at desc, id desc);
create index tickets_activity_by_status on agent.tickets (organization_id, status, last_activity_at desc, id desc);
create index tickets_activity_by_agent on agent.tickets (organization_id, agent_id, last_activity_at desc, id desc);
-- The tickets of a conversation.
create index tickets_conversation on agent.tickets (conversation_id) where conversation_id is not null;
-- The tickets with a tag.
create index tickets_tags on agent.tickets using gin (organization_id, tags) where tags <> '{}';
-- The tickets that were merged into one.
create index tickets_merged on agent.tickets (merged_into_id) where merged_into_id is not null;
${byteCountTriggers({ table: 'agent.tickets', bytes: `500 + ${textBytes('description', 'conversation_summary')} + ${listBytes('tags')}`, updates: 'true' })}

create table agent.ticket_messages (
  ${OWNED},
  ticket_id uuid not null references agent.tickets on delete cascade,
  -- The ticket that the message came with.
  merged_from_id uuid,
  kind text not null,
  author_id uuid, author_name text not null,
  text text not null,
  -- Names the mail that it came with, so that a ticket stores a repeated mail once.
  mail_id varchar(500),
  created_at timestamptz not null default now()
);
create index ticket_messages_mail on agent.ticket_messages (ticket_id, mail_id) where mail_id is not null;
-- The messages of a ticket, oldest first.
create index ticket_messages_oldest on agent.ticket_messages (ticket_id, created_at, id);
-- The erasure of a merged ticket.
create index ticket_messages_merged on agent.ticket_messages (merged_from_id) where merged_from_id is not null;
-- The foreign key.
create index ticket_messages_organization on agent.ticket_messages (organization_id);
${byteCountTriggers({ table: 'agent.ticket_messages', bytes: `200 + ${textBytes('text')}` })}
`;
